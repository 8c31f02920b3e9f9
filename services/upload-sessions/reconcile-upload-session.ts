import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { signalSessionChanged } from '../../temporal/upload-session-signals.ts';
import { describeUploadSessionRun } from '../../temporal/status/describe-upload-session-run.ts';
import { cancelUploadSession } from './cancel-upload-session.ts';
import { failUploadSession } from './fail-upload-session.ts';
import { restartLostFiles } from './restart-lost-files.ts';
import { retryPausedSteps } from './retry-paused-steps.ts';
import { startUploadSession } from './start-upload-session.ts';

/**
 * Reconciles the row of an upload session and the engine, whichever is behind: starts a session that the engine does
 * not know, signals a change that its workflow may have missed, cancels one whose workflow was asked to cancel, fails
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
