import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { MAX_WAITING_BATCHES, PENDING_WINDOW_SECONDS, STALE_BATCH_SECONDS } from '../../domain/limits.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { abortUpload } from '../direct-uploads/abort-upload.ts';
import { closeUploadSession, sealUploadSession } from '../upload-sessions/seal-upload-session.ts';
import { countFilesOfEach, type CountedFiles } from '../upload-sessions/count-files.ts';
import {
  lockUploadSession,
  findUploadSession,
  type UploadSessionTarget,
} from '../upload-sessions/find-upload-session.ts';
import { announceUploadSession } from '../upload-sessions/reconcile-upload-session.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { notFound, AppError } from '../../domain/app-error.ts';

/** Presigned batches that their client has not confirmed. */
const UNCONFIRMED = {
  uploadMethod: 'presigned',
  status: { $in: ['pending', 'uploading'] },
  sealedBy: null,
  confirmedAt: null,
} as const;

/** Batches that can still be confirmed, oldest first. */
export async function listWaitingBatches(
  em: EntityManager,
  tenantId: string,
  now = new Date(),
): Promise<{ session: UploadSession; counts: CountedFiles }[]> {
  const since = new Date(now.getTime() - PENDING_WINDOW_SECONDS * 1000);
  const sessions = await em.find(
    UploadSession,
    { ...UNCONFIRMED, status: { $in: ['pending', 'uploading'] }, tenantId, createdAt: { $gte: since } },
    { orderBy: { createdAt: 'asc', id: 'asc' }, limit: MAX_WAITING_BATCHES, refresh: true },
  );
  const counted = await countFilesOfEach(
    em,
    sessions.map(({ id }) => id),
  );
  return sessions.flatMap((session) => {
    const counts = counted.get(session.id);
    return counts ? [{ session, counts }] : [];
  });
}

/**
 * Expires the batches of a tenant that have been unconfirmed for half an hour, and discards their uploads. Their
 * workflows do the same, but later.
 *
 * @returns the number of expired batches
 */
export async function expireStaleBatches(
  { em, engine }: { em: EntityManager; engine: Engine },
  tenantId: string,
  now = new Date(),
): Promise<number> {
  const before = new Date(now.getTime() - STALE_BATCH_SECONDS * 1000);
  const stale = await em.find(
    UploadSession,
    { ...UNCONFIRMED, status: { $in: ['pending', 'uploading'] }, tenantId, createdAt: { $lt: before } },
    { orderBy: { createdAt: 'asc' }, limit: MAX_WAITING_BATCHES },
  );
  let expired = 0;
  for (const { id } of stale) {
    const session = await expire(em.fork(), { sessionId: id, tenantId });
    if (!session) continue;
    expired += 1;
    await announceUploadSession({ em, engine }, session);
    await abortBatchUploads({ em, engine }, session, 'the batch expired');
  }
  return expired;
}

/** Aborts the uploads of an ended batch, so that nothing more is stored for it. */
export async function abortBatchUploads(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  reason: string,
): Promise<void> {
  if (session.uploadMethod !== 'presigned') return;
  for (const { id: uploadId, tenantId } of await findBatchUploads(em, session)) {
    await abortUpload({ em: em.fork(), engine }, { uploadId, tenantId }, reason);
  }
}

/** @returns undefined if it was confirmed or ended meanwhile */
async function expire(
  em: EntityManager,
  target: { sessionId: string; tenantId: string },
): Promise<UploadSession | undefined> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (session.confirmedAt || session.sealedBy || !isOpenUploadSession(session.status)) return undefined;
    await sealUploadSession(tx, target, 'expiry');
    await closeUploadSession(tx, target);
    return lockUploadSession(tx, target);
  });
}

/**
 * A presigned batch of the tenant.
 *
 * @throws AppError NOT_FOUND, also for a session whose files were streamed
 */
export async function findBatch(em: EntityManager, target: UploadSessionTarget): Promise<UploadSession> {
  const session = await findUploadSession(em, target).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? notFound('batch') : error;
  });
  if (session.uploadMethod !== 'presigned') throw notFound('batch');
  return session;
}

/** The uploads of a batch, in request order. */
export function findBatchUploads(
  em: EntityManager,
  { id, tenantId }: UploadSession,
): Promise<DirectUpload[]> {
  return em.find(
    DirectUpload,
    { sessionId: id, tenantId },
    { orderBy: { sessionIndex: 'asc' }, refresh: true },
  );
}
