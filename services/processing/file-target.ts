import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { desiredFileState, isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';

/** The file of a step, and its generation: a stale attempt changes nothing. */
export interface FileTarget {
  fileId: string;
  tenantId: string;
  generation: number;
}

/** The file was deleted, was closed by the reconciler, or belongs to a newer run: nothing is left to do. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The upload session of the file is paused; the step is to be retried later. */
export class UploadSessionPaused extends Error {
  override readonly name = 'UploadSessionPaused';
}

/** The upload session of the file was cancelled; the run must stop. */
export class UploadSessionCancelled extends Error {
  override readonly name = 'UploadSessionCancelled';
}

const GONE = 'the file is gone, is closed, or a newer run has taken over';

/**
 * The row of the file that a step is about to process.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled: reasons not to process it now, or ever
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
  if (!file) throw new FileGone(GONE);
  await checkSession(em, file);
  return file;
}

/**
 * Checks again, between two steps of one activity, that the file is still to be processed.
 *
 * @throws as findTarget
 */
export async function checkTarget(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
): Promise<void> {
  const [row] = await em.execute<
    {
      started_at: Date | null;
      status: UploadSession['status'] | null;
      paused_at: Date | null;
      completed_at: Date | null;
    }[]
  >(
    `select f.workflow_started_at as started_at, s.status, s.paused_at, s.completed_at
     from files f left join upload_sessions s on s.id = f.session_id and s.tenant_id = f.tenant_id
     where f.id = ? and f.tenant_id = ? and f.generation = ? and f.deleted_at is null
       and f.primary_status in ('pending', 'processing')`,
    [fileId, tenantId, generation],
  );
  if (!row) throw new FileGone(GONE);
  const { status, paused_at: pausedAt, completed_at: completedAt, started_at: startedAt } = row;
  if (status) stopUnlessDesired({ status, pausedAt, completedAt }, startedAt);
}

async function checkSession(
  em: EntityManager,
  { sessionId, tenantId, workflowStartedAt }: StoredFile,
): Promise<void> {
  if (!sessionId) return;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  if (session) stopUnlessDesired(session, workflowStartedAt);
}

function stopUnlessDesired(
  session: Pick<UploadSession, 'status' | 'pausedAt' | 'completedAt'>,
  startedAt: Date | null | undefined,
): void {
  const desired = desiredFileState(session, startedAt);
  if (desired === 'pause') throw new UploadSessionPaused('the upload session is paused');
  if (desired === 'cancel') throw new UploadSessionCancelled('the upload session was cancelled');
}

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
