import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { desiredFileState } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { FILE_SIGNALS, type FilePause } from '../../temporal/contract/process-file.ts';

/** Files that are told at the same time. */
const AT_ONCE = 10;

/**
 * The last word to the files at work of a session whose workflow is gone, since nobody else would ever say it: those
 * of a cancelled session are stopped, others go on, paused or not. Safe to repeat.
 *
 * @throws EngineUnavailable after `milliseconds` a file
 */
export async function dismissFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  milliseconds: number,
): Promise<void> {
  const files = await em.find(StoredFile, {
    sessionId: session.id,
    tenantId: session.tenantId,
    deletedAt: null,
    primaryStatus: { $in: OPEN_STATUSES },
    workflowStartedAt: { $ne: null },
  });
  for (let from = 0; from < files.length; from += AT_ONCE) {
    const some = files.slice(from, from + AT_ONCE);
    await Promise.all(some.map((file) => dismissFile(engine, file, session, milliseconds)));
  }
}

/** The same for one file. */
export async function dismissFile(
  engine: Engine,
  { id, generation, workflowStartedAt }: StoredFile,
  session: UploadSession,
  milliseconds: number,
): Promise<void> {
  const stop = desiredFileState(session, workflowStartedAt) === 'stop';
  const pause: FilePause = { paused: false, generation };
  try {
    await engine.within(milliseconds, async (client) => {
      const run = client.workflow.getHandle(fileWorkflowId(id));
      await (stop ? run.cancel() : run.signal(FILE_SIGNALS.sessionPaused, pause));
    });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
