import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import {
  isOpenUploadSession,
  OPEN_UPLOAD_SESSION_STATUSES,
} from '../../domain/upload-sessions/upload-session.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { reconcileTarget } from '../shared/define-work.ts';
import { acknowledge, isDue } from '../shared/due.ts';
import { requestSessionCancel, signalSessionChanged } from '../../temporal/upload-session-signals.ts';
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
import { UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';

interface Deps {
  em: EntityManager;
  engine: Engine;
}

/**
 * Reconciles the row of an upload session and the engine, whichever is behind: starts a session that is missing in the
 * engine, signals a change that its workflow may have missed, cancels one whose workflow has a cancel request, fails
 * one whose run ended without closing it, and restarts files whose runs the engine has lost. Idempotent and safe to run
 * concurrently. For an ended session, it calls the engine only for due work.
 *
 * @param session is refreshed when it was changed
 * @param milliseconds timeout per call to the engine
 * @param changed whether the caller has changed the row, so that its workflow is signalled whatever it is doing. Without,
 *   one that is about to run is left alone: the row stays due until it has been read
 * @returns whether the row has changed
 * @throws EngineUnavailable
 */
export async function reconcileUploadSession(
  deps: Deps,
  session: UploadSession,
  milliseconds: number,
  { changed = false } = {},
): Promise<boolean> {
  const { id, tenantId, generation } = session;
  const isOpen = isOpenUploadSession(session.status);
  if (!isOpen && !isDue(session)) return false;
  const run = await describeUploadSessionRun(deps.engine, id, milliseconds);
  if (!run || run.generation < generation) {
    // Also of an ended session: if the engine does have its workflow, that is signalled later.
    await startUploadSession(deps.engine, session);
    if (!isOpen) await retryPausedSteps(deps, session);
    return false;
  }
  if (run.outcome !== 'running') {
    if (!isOpen) {
      // Its files find it cancelled at their next step.
      await retryPausedSteps(deps, session);
      await acknowledge(deps.em, UploadSession, session);
      return false;
    }
    const reason = { code: 'WORKFLOW_ENDED', message: `the workflow of the session is ${run.outcome}` };
    const failed = await failUploadSession(deps.em, { sessionId: id, tenantId }, run.generation, reason);
    if (failed) {
      await deps.em.refreshOrFail(session);
      await retryPausedSteps(deps, session);
    }
    return failed;
  }
  if (isOpen && run.cancelRequested) return cancelAsRequested(deps, session);
  if (session.status === 'cancelled') {
    if (!run.cancelRequested) await requestSessionCancel(deps.engine, session);
  } else if (changed || (run.isIdle && (isDue(session) || (await hasNothingLeft(deps.em, session)))))
    await signalSessionChanged(deps.engine, session);
  if (isOpen) await restartLostFiles(deps, session, run, milliseconds);
  return false;
}

/** Whether only its end is missing, of which its workflow seems not to know, whatever was lost. */
async function hasNothingLeft(em: EntityManager, session: UploadSession): Promise<boolean> {
  if (!session.sealedBy || !isOpenUploadSession(session.status)) return false;
  return (await em.findOne(StoredFile, openFilesOf(session), { fields: ['id'] })) === null;
}

/**
 * Open sessions that are due without a mark of their own: with a due file whose run has not begun, or with nothing left to
 * do. In random order, so that none waits behind the others.
 *
 * @param before when the marks of such files were set
 */
async function findUnmarkedDue(em: EntityManager, before: Date, limit: number): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from (
       select s.id from files f join upload_sessions s on s.id = f.session_id and ${OPEN}
       where f.engine_due_at < ? and f.workflow_started_at is null and f.deleted_at is null
       union
       select s.id from upload_sessions s
       where ${OPEN} and s.sealed_by is not null and not exists (
         select from files f
         where f.session_id = s.id and f.deleted_at is null and f.primary_status in ('pending', 'processing'))) as found
     order by random() limit ?`,
    [before, limit],
  );
  return rows.map(({ id }) => id);
}

const OPEN = `s.status in (${OPEN_UPLOAD_SESSION_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Its workflow does the same once a worker is free. */
async function cancelAsRequested({ em }: Deps, session: UploadSession): Promise<boolean> {
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

/** The same for a request that has changed the row. While the engine is unreachable, the change stays due. */
export function announceUploadSession(deps: Deps, session: UploadSession): Promise<void> {
  return reconcileUploadSessionIfReachable(deps, session, { changed: true });
}

/** The same for a request, which the row can answer when the engine is unreachable. */
export async function reconcileUploadSessionIfReachable(
  deps: Deps,
  session: UploadSession,
  options?: { changed: boolean },
): Promise<void> {
  try {
    await reconcileUploadSession(deps, session, READ_DEADLINE_MS, options);
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
  { em, engine }: Deps,
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

export const uploadSessionTarget = reconcileTarget<UploadSession>({
  noun: 'upload session',
  entity: UploadSession,
  workflow: UPLOAD_SESSION_WORKFLOWS,
  open: { status: { $in: OPEN_UPLOAD_SESSION_STATUSES } },
  findUnmarkedDue,
  quiet: (before) => ({ createdAt: { $lt: before } }),
  reconcile: reconcileUploadSession,
});
