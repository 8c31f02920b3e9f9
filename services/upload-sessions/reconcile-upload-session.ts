import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { signalSessionChanged } from '../../temporal/upload-session-signals.ts';
import {
  describeUploadSessionRun,
  type UploadSessionRunView,
} from '../../temporal/status/describe-workflow-run.ts';
import { cancelUploadSession, failUploadSession } from './cancel-upload-session.ts';
import { retryPausedSteps } from './retry-paused-steps.ts';
import { startUploadSession } from './open-upload-session.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { openFilesOf } from '../files/open-files-of-session.ts';
import { listRunningFiles } from '../../temporal/status/list-running-files.ts';
import { reconcileFile } from '../processing/reconcile-file.ts';

/**
 * Reconciles the row of an upload session and the engine, whichever is behind: starts a session that is missing in the
 * engine, signals a change that its workflow may have missed, cancels one whose workflow has a cancel request, fails
 * one whose run ended without closing it, and restarts files whose runs the engine has lost. Idempotent and safe to run
 * concurrently. For an ended session, it calls the engine only for due work.
 *
 * @param session is refreshed when it was changed
 * @returns whether the row has changed
 * @throws EngineUnavailable
 */
export async function reconcileUploadSession(
  deps: { em: EntityManager; engine: Engine },
  session: UploadSession,
  milliseconds: number,
): Promise<boolean> {
  const { id, tenantId, generation } = session;
  if (!isOpenUploadSession(session.status)) {
    await signalDueChange(deps, session);
    return false;
  }
  const run = await describeUploadSessionRun(deps.engine, id, milliseconds);
  if (!run || run.generation < generation) {
    await startUploadSession(deps, session);
    return false;
  }
  if (run.outcome !== 'running') {
    const reason = { code: 'WORKFLOW_ENDED', message: `the workflow of the session is ${run.outcome}` };
    const failed = await failUploadSession(deps.em, { sessionId: id, tenantId }, run.generation, reason);
    if (failed) {
      await deps.em.refreshOrFail(session);
      await retryPausedSteps(deps, session);
    }
    return failed;
  }
  if (run.cancelRequested) return cancelAsRequested(deps, session);
  await signalDueChange(deps, session);
  await restartLostFiles(deps, session, run, milliseconds);
  return false;
}

async function signalDueChange(
  deps: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<void> {
  const { id, engineDueAt } = session;
  if (!engineDueAt) return;
  const signalled = await signalSessionChanged(deps.engine, session);
  if (signalled === 'unreachable') return;
  // The files of a cancelled session whose workflow is gone find it cancelled at their next step.
  if (signalled === 'gone') await retryPausedSteps(deps, session);
  await deps.em.nativeUpdate(UploadSession, { id, engineDueAt }, { engineDueAt: null });
}

/** Its workflow does the same once a worker is free. */
async function cancelAsRequested(
  { em }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<boolean> {
  try {
    await cancelUploadSession(em, { sessionId: session.id, tenantId: session.tenantId });
    return true;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'UPLOAD_SESSION_ENDED')) throw error;
    return false;
  } finally {
    await em.refreshOrFail(session);
  }
}

/** The same for a request, which the row can answer when the engine is unreachable. */
export async function reconcileUploadSessionIfReachable(
  deps: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<void> {
  try {
    await reconcileUploadSession(deps, session, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}

/**
 * Reconciles the files of an open session that should have a running workflow but do not, for example because it was
 * deleted. One query to visibility, and a describe only for each file that it misses.
 *
 * @param run the session's workflow, running
 * @throws EngineUnavailable
 */
async function restartLostFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  { hasStartedAll }: UploadSessionRunView,
  milliseconds: number,
): Promise<void> {
  const begun = hasStartedAll && !session.pausedAt ? {} : { workflowStartedAt: { $ne: null } };
  const open = await em.find(StoredFile, { ...openFilesOf(session), ...begun });
  if (open.length === 0) return;
  const running = await listRunningFiles(engine, session.id, milliseconds);
  for (const { id } of open) {
    if (running.has(id)) continue;
    const own = em.fork();
    await reconcileFile({ em: own, engine }, await own.findOneOrFail(StoredFile, id), milliseconds);
  }
}
