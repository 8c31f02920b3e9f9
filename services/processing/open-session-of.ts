import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';

/** For queries on files: excludes those queued in an open upload session, whose workflow will start them. */
export const NOT_WAITING_IN_SESSION = `not (workflow_started_at is null and exists (
  select from upload_sessions open where open.id = session_id and open.status in ('pending', 'uploading', 'processing')))`;

/** The open upload session of a file, whose workflow starts its files; undefined if there is none. */
export async function openSessionOf(em: EntityManager, file: StoredFile): Promise<UploadSession | undefined> {
  const session = await sessionOf(em, file);
  return session && isOpenUploadSession(session.status) ? session : undefined;
}

/** The upload session of a file, open or not. */
export async function sessionOf(
  em: EntityManager,
  { sessionId, tenantId }: StoredFile,
): Promise<UploadSession | undefined> {
  if (!sessionId) return undefined;
  return (await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true })) ?? undefined;
}
