import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { notFound, AppError } from '../../domain/app-error.ts';
import { findUploadSession, type UploadSessionTarget } from '../upload-sessions/find-upload-session.ts';

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

/** Its uploads, in the order of the request. */
export function findBatchUploads(
  em: EntityManager,
  { id, tenantId }: UploadSession,
): Promise<UploadIntent[]> {
  return em.find(
    UploadIntent,
    { sessionId: id, tenantId },
    { orderBy: { sessionIndex: 'asc' }, refresh: true },
  );
}
