import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';

/** For queries on files: leaves out those that the workflow of an open session starts in its own time. */
export const NOT_HELD = `not exists (select from upload_sessions held
  where held.id = session_id and held.status in ('pending', 'uploading', 'processing'))`;

/** Whether an open session decides when this file starts: a pause must not be passed by. */
export async function isHeldBySession(em: EntityManager, { sessionId }: StoredFile): Promise<boolean> {
  if (!sessionId) return false;
  const session = await em.findOne(UploadSession, { id: sessionId }, { refresh: true });
  return session !== null && isOpenUploadSession(session.status);
}

/** Since when the open session of a file is paused, by its row; undefined when it is not. */
export async function sessionPausedSince(
  em: EntityManager,
  { sessionId, tenantId }: StoredFile,
): Promise<Date | undefined> {
  if (!sessionId) return undefined;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  return (session && isOpenUploadSession(session.status) && session.pausedAt) || undefined;
}
