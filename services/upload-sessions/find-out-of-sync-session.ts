import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { desiredFileState } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import { readRun } from '../../temporal/status/read-run.ts';

/**
 * The session that has left a file at work alone: the file still holds though the session is not paused, or works on
 * though it was cancelled. Whoever was to tell the file is gone, or was begun anew and has forgotten it.
 *
 * @returns undefined when all is well
 * @throws EngineUnavailable after `milliseconds`
 */
export async function findOutOfSyncSession(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, tenantId, sessionId, workflowStartedAt }: StoredFile,
  run: RunView,
  milliseconds: number,
): Promise<UploadSession | undefined> {
  if (!sessionId) return undefined;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  // One that has yet to be told of its last change will tell its files.
  if (!session || session.untoldSince) return undefined;
  const wish = desiredFileState(session, workflowStartedAt);
  if (wish === 'hold') return undefined;
  if (wish === 'stop') return session;
  const { pausedSince } = await readRun(engine, id, run.runId, milliseconds);
  return pausedSince && session;
}
