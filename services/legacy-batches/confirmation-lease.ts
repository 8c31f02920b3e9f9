import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';

/** One that takes longer has died; then another may take over. */
const LEASE_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Lets one confirmation of a batch work at a time. It waits for verification, which is too long for a row to be locked:
 * the verification needs that row.
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
    const message = 'another confirmation of this batch is being worked on';
    throw new AppError('CONFIRMATION_IN_PROGRESS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  try {
    return await work();
  } finally {
    // The lease runs out by itself: what went wrong with giving it back must not hide what came of the work.
    await em
      .nativeUpdate(UploadSession, { id, tenantId, confirmingUntil }, { confirmingUntil: null })
      .catch(() => undefined);
  }
}
