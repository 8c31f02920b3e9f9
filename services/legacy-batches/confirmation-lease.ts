import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';

/** A confirmation that takes longer is presumed dead; then another may take over. */
const LEASE_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Serializes the confirmations of a batch. They wait for verification, which needs the session's row, so a row lock is
 * no option.
 *
 * @throws AppError CONFIRMATION_IN_PROGRESS
 */
export async function withConfirmationLease<T>(
  em: EntityManager,
  { id, tenantId }: UploadSession,
  work: () => Promise<T>,
): Promise<T> {
  const now = new Date();
  const confirmingUntil = new Date(now.getTime() + LEASE_MS);
  const free = { $or: [{ confirmingUntil: null }, { confirmingUntil: { $lt: now } }] };
  if ((await em.nativeUpdate(UploadSession, { id, tenantId, ...free }, { confirmingUntil })) === 0) {
    const message = 'another confirmation of this batch is in progress';
    throw new AppError('CONFIRMATION_IN_PROGRESS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  try {
    return await work();
  } finally {
    // The lease expires by itself: a failed release must not mask the result of the work.
    await em
      .nativeUpdate(UploadSession, { id, tenantId, confirmingUntil }, { confirmingUntil: null })
      .catch(() => undefined);
  }
}
