import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { desiredFileState } from '../../domain/upload-sessions/upload-session.ts';

/** The file that a step works on, and its generation: a stale attempt changes nothing. */
export interface FileTarget {
  fileId: string;
  tenantId: string;
  generation: number;
}

/** The file was deleted, was closed by the reconciler, or belongs to a newer run: this one has nothing left to do. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The upload session of the file is paused; the step is to be retried later. */
export class SessionPaused extends Error {
  override readonly name = 'SessionPaused';
}

/** The upload session of the file was cancelled; the run must stop. */
export class SessionCancelled extends Error {
  override readonly name = 'SessionCancelled';
}

/**
 * The row of the file that a step is about to process.
 *
 * @throws FileGone, SessionPaused, SessionCancelled: reasons not to work on it now, or ever
 */
export async function findTarget(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
): Promise<StoredFile> {
  const file = await em.findOne(StoredFile, {
    id: fileId,
    tenantId,
    generation,
    deletedAt: null,
    primaryStatus: { $in: OPEN_STATUSES },
  });
  if (!file) throw new FileGone('the file is gone, is closed, or a newer run has taken over');
  await checkSession(em, file);
  return file;
}

async function checkSession(
  em: EntityManager,
  { sessionId, tenantId, workflowStartedAt }: StoredFile,
): Promise<void> {
  if (!sessionId) return;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  const desired = session ? desiredFileState(session, workflowStartedAt) : 'run';
  if (desired === 'pause') throw new SessionPaused('the upload session is paused');
  if (desired === 'cancel') throw new SessionCancelled('the upload session was cancelled');
}
