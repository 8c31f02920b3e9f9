import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import {
  applyDirectUploadEvent,
  isDirectUploadOpen,
  EXPIRED,
  type DirectUploadEvent,
  type DirectUploadState,
} from '../../domain/uploads/direct-upload.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockUpload, type UploadTarget } from './find-upload.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { lockUploadSession } from '../upload-sessions/find-upload-session.ts';
import { sealUploadSession } from '../upload-sessions/seal-upload-session.ts';
import { recordItem, type ItemKey } from '../upload-sessions/record-item.ts';
import { announceUploadSession } from '../upload-sessions/reconcile-upload-session.ts';
import { isDue } from '../shared/due.ts';

/** The only failure that uploading again cannot fix. */
const FINAL = 'UNSUPPORTED_MEDIA';

/**
 * Applies an event to an upload whose row is locked; the caller's transaction persists it.
 *
 * @returns whether it changed anything
 */
export function changeUpload(upload: DirectUpload, event: DirectUploadEvent, now = new Date()): boolean {
  const before: DirectUploadState = {
    status: upload.status,
    completeRequested: upload.completeRequestedAt !== null,
    error: upload.error ?? null,
  };
  const after = applyDirectUploadEvent(before, event);
  if (after === before) return false;
  upload.status = after.status;
  upload.error = after.error;
  upload.completeRequestedAt = after.completeRequested ? (upload.completeRequestedAt ?? now) : null;
  upload.updatedAt = now;
  return true;
}

/**
 * Ends an upload that is still open.
 *
 * @returns `requested` when it stays open because its requested completion still has to be verified
 */
export async function endUpload(
  em: EntityManager,
  target: UploadTarget,
  event: Extract<DirectUploadEvent, { type: 'expired' | 'refused' | 'aborted' }>,
): Promise<'ended' | 'requested'> {
  return em.transactional(async (tx) => {
    const upload = await lockUpload(tx, target);
    if (changeUpload(upload, event)) await recordUploadEnd(tx, upload);
    return isDirectUploadOpen(upload.status) ? 'requested' : 'ended';
  });
}

/** Whether an upload failed because of its content: uploading it again would fail as well. */
export function isFinalFailure({ error }: DirectUpload): boolean {
  return error?.code === FINAL;
}

/** The position of an upload in its presigned batch, if it has one. */
export function batchPlace({ sessionId, sessionIndex }: DirectUpload): ItemKey | undefined {
  return sessionId && typeof sessionIndex === 'number' ? { sessionId, index: sessionIndex } : undefined;
}

/**
 * Records the end of an upload in its batch, in the same transaction: a failed one fails in the batch as well, and the
 * last one seals the batch. Lock order everywhere: the upload's row before the session's.
 */
export async function recordUploadEnd(tx: EntityManager, upload: DirectUpload): Promise<void> {
  const place = batchPlace(upload);
  if (!place) return;
  const target = { sessionId: place.sessionId, tenantId: upload.tenantId };
  const session = await lockUploadSession(tx, target);
  if (session.sealedBy || !isOpenUploadSession(session.status)) return;
  if (upload.status === 'FAILED') {
    const error = upload.error ?? { code: 'UPLOAD_FAILED', message: 'the upload has failed' };
    const retryable = !isFinalFailure(upload);
    const state = retryable ? 'missing' : 'rejected';
    await recordItem(tx, place, upload.filename, { state, error, retryable });
  }
  session.status = 'uploading';
  session.version += 1;
  await tx.flush();
  if ((await tx.count(UploadSessionItem, { sessionId: session.id, state: 'uploading' })) > 0) return;
  const abandoned = !session.confirmedAt && upload.error?.code === EXPIRED.code;
  await sealUploadSession(tx, target, abandoned ? 'expiry' : 'client');
}

/** Signals that to the batch's workflow, after that transaction. If it cannot be reached, the signal stays due. */
export async function signalUploadEnd(
  { em, engine }: { em: EntityManager; engine: Engine },
  { sessionId, tenantId }: DirectUpload,
): Promise<void> {
  if (!sessionId) return;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  if (session && isDue(session)) await announceUploadSession({ em, engine }, session);
}
