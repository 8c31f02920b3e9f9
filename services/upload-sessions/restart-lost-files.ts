import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import type { UploadSessionRunView } from '../../temporal/status/describe-upload-session-run.ts';
import { listRunningFiles } from '../../temporal/status/list-running-files.ts';
import { reconcileFile } from '../processing/reconcile-file.ts';

/**
 * Reconciles the files of an open session that should have a running workflow and have none, such as one that was
 * deleted. One query to visibility, and a describe only for each file that it misses.
 *
 * @param run the session's workflow, running
 * @throws EngineUnavailable
 */
export async function restartLostFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id: sessionId, tenantId, pausedAt }: UploadSession,
  { hasStartedAll }: UploadSessionRunView,
  milliseconds: number,
): Promise<void> {
  const begun = hasStartedAll && !pausedAt ? {} : { workflowStartedAt: { $ne: null } };
  const open = await em.find(StoredFile, {
    sessionId,
    tenantId,
    deletedAt: null,
    primaryStatus: { $in: OPEN_STATUSES },
    ...begun,
  });
  if (open.length === 0) return;
  const running = await listRunningFiles(engine, sessionId, milliseconds);
  for (const { id } of open) {
    if (running.has(id)) continue;
    const own = em.fork();
    await reconcileFile({ em: own, engine }, await own.findOneOrFail(StoredFile, id), milliseconds);
  }
}
