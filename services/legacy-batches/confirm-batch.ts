import type { EntityManager } from '@mikro-orm/postgresql';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { MAX_ABORT_REASON_LENGTH } from '../../domain/limits.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import { abortUpload } from '../direct-uploads/abort-upload.ts';
import { completeUpload, type CompleteDeps, type Confirmation } from '../direct-uploads/complete-upload.ts';
import { findBatch, findBatchUploads } from './waiting-batches.ts';
import type { UploadSessionTarget } from '../upload-sessions/find-upload-session.ts';
import { detectObject } from '../direct-uploads/observe-direct-upload.ts';

/** A confirmation that takes longer is presumed dead; then another may take over. */
const LEASE_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

const CONTRADICTIONS: ReadonlySet<ErrorCode> = new Set(['HASH_MISMATCH', 'SIZE_MISMATCH']);

/** The client's confirmation of one upload. */
export interface FileConfirmation extends Confirmation {
  uploadId: string;
  success: boolean;
  /** The reason for a failure on the client. */
  errorMessage?: string | undefined;
}

/** A batch after a confirmation. Uploads that have neither completed nor failed are still being verified. */
export interface ConfirmedBatch {
  session: UploadSession;
  uploads: DirectUpload[];
  /** Uploads confirmed by this call; empty if all had already ended. */
  confirmed: DirectUpload[];
  /**
   * Confirmed uploads whose content contradicts the confirmation, by id. They stay open: only the confirmation was
   * wrong.
   */
  contradicted: ReadonlyMap<string, AppError>;
}

/**
 * Applies a client's confirmations to the uploads of a batch. Uploads reported as failed are aborted, and so are those
 * that fail verification: the batch counts them as failed, and they may be sent again with another batch. Unnamed
 * uploads stay open, and so do those whose size or checksum contradicts the confirmation.
 *
 * @throws AppError NOT_FOUND, CONFIRMATION_IN_PROGRESS
 */
export async function confirmBatch(
  deps: CompleteDeps,
  target: UploadSessionTarget,
  choose: (uploads: DirectUpload[]) => FileConfirmation[],
): Promise<ConfirmedBatch> {
  const session = await findBatch(deps.em, target);
  return withConfirmationLease(deps.em, session, async () => {
    const confirmations = choose(await findBatchUploads(deps.em, session));
    return settleAll(deps, session, confirmations);
  });
}

/**
 * Confirms the uploads of a batch that are in the store, for a client that lost track, and aborts the others. If none
 * are there, all stay open.
 *
 * @throws AppError NOT_FOUND, CONFIRMATION_IN_PROGRESS
 */
export async function recoverBatch(deps: CompleteDeps, target: UploadSessionTarget): Promise<ConfirmedBatch> {
  const { em, objects } = deps;
  const session = await findBatch(em, target);
  return withConfirmationLease(em, session, async () => {
    const confirmations: FileConfirmation[] = [];
    for (const upload of await findBatchUploads(em, session)) {
      if (!isDirectUploadOpen(upload.status)) continue;
      const success = await detectObject({ em, objects }, upload);
      confirmations.push({ uploadId: upload.id, success, errorMessage: 'the store does not have it' });
    }
    return settleAll(deps, session, confirmations.some(({ success }) => success) ? confirmations : []);
  });
}

async function settleAll(
  deps: CompleteDeps,
  session: UploadSession,
  confirmations: FileConfirmation[],
): Promise<ConfirmedBatch> {
  const { em } = deps;
  const before = await findBatchUploads(em, session);
  const open = new Set(before.filter(({ status }) => isDirectUploadOpen(status)).map(({ id }) => id));
  const named = isOpenUploadSession(session.status)
    ? confirmations.filter(({ uploadId }) => open.has(uploadId))
    : [];
  if (named.length > 0) await recordConfirmed(em, session);
  const settled = await Promise.allSettled(named.map((one) => settle(deps, session.tenantId, one)));
  // An outage settles nothing: existing confirmations persist, and the rest can be confirmed again.
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  const contradicted = new Map<string, AppError>();
  for (const [at, { uploadId }] of named.entries()) {
    const one = settled[at];
    if (one?.status === 'fulfilled' && one.value) contradicted.set(uploadId, one.value);
  }
  const uploads = await findBatchUploads(em.fork(), session);
  await em.refreshOrFail(session);
  const confirmed = uploads.filter(({ id }) => named.some(({ uploadId }) => uploadId === id));
  return { session, uploads, confirmed, contradicted };
}

async function recordConfirmed(em: EntityManager, { id }: UploadSession): Promise<void> {
  await em.nativeUpdate(UploadSession, { id, confirmedAt: null }, { confirmedAt: new Date() });
}

/** @returns how the confirmation contradicts the upload, which then stays open for another confirmation */
async function settle(
  deps: CompleteDeps,
  tenantId: string,
  one: FileConfirmation,
): Promise<AppError | undefined> {
  const own = { ...deps, em: deps.em.fork() };
  const target = { uploadId: one.uploadId, tenantId };
  const abort = async (reason: string): Promise<undefined> => {
    await abortUpload({ ...own, em: own.em.fork() }, target, reason.slice(0, MAX_ABORT_REASON_LENGTH));
  };
  if (!one.success) return abort(one.errorMessage ?? 'the client could not upload it');
  try {
    await completeUpload(own, target, one);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (CONTRADICTIONS.has(error.code)) return error;
    return abort(error.message);
  }
  return undefined;
}

/**
 * Serializes the confirmations of a batch. They wait for verification, which needs the session's row, so a row lock is
 * no option.
 *
 * @throws AppError CONFIRMATION_IN_PROGRESS
 */
async function withConfirmationLease<T>(
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
