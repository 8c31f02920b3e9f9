import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { notFound, Refusal } from '../../domain/app-error.ts';
import { findSession } from '../upload-sessions/find-upload-session.ts';
import type { SessionTarget } from '../upload-sessions/find-upload-session.ts';

/**
 * A presigned batch of the tenant.
 *
 * @throws Refusal NOT_FOUND, also for a session whose files were streamed
 */
export async function findBatch(em: EntityManager, target: SessionTarget): Promise<UploadSession> {
  const session = await findSession(em, target).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'NOT_FOUND' ? notFound('batch') : error;
  });
  if (session.uploadMethod !== 'presigned') throw notFound('batch');
  return session;
}

/** Its uploads, in the order of its files. */
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
