import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary, OPEN_STATUSES } from '../../domain/primary-status.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import type { PriorityName } from '../../temporal/contract/queues.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import {
  describeUploadSessionRun,
  describeWorkflowRun,
} from '../../temporal/status/describe-workflow-run.ts';
import { fetchHistory, type History } from '../../temporal/status/fetch-history.ts';
import { awaitsRun } from '../media/index-entries.ts';
import { mediumOf, type MediumIndex } from '../media/medium.ts';
import { reconcileTarget } from '../shared/define-work.ts';
import { acknowledge, isDue } from '../shared/due.ts';
import { closeEndedRun } from './close-ended-run.ts';
import { NOT_WAITING_IN_SESSION, openSessionOf } from './file-target.ts';
import { startFileWork } from './start-file-work.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';
import { indexWorkflowId } from '../../temporal/contract/indexes.ts';

/** The result of reconciling a file. */
export interface ReconciledFile {
  /** Whether the row was behind its workflow and has been updated. */
  changed: boolean;
  /** The newest run; undefined for an ended file, and when the engine has none. */
  run: RunView | undefined;
  /** The history of that run, fetched once, on first use. */
  history(): Promise<History>;
}

/**
 * Reconciles a file's row and the engine, whichever is behind: starts work that is missing in the engine, records the
 * end of a run that did not record it, and starts the work that a deletion or a restore still requires. Idempotent and
 * safe to run concurrently. For an ended file, it calls the engine only for due work.
 *
 * @param file is refreshed when its run has ended
 * @param milliseconds timeout per call to the engine
 * @param change if the caller has changed the row, so that its workflows are signalled whatever they are doing. Without,
 *   those about to run are left alone: the row stays due until it has been read
 * @throws EngineUnavailable
 */
export async function reconcileFile(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  milliseconds: number,
  change?: FileChange,
): Promise<ReconciledFile> {
  const { em, engine } = deps;
  let changed = false;
  let run: RunView | undefined;
  let fetched: Promise<History> | undefined;
  const history = () =>
    (fetched ??= fetchHistory(engine, FILE_WORKFLOWS.of(file.id), run?.runId, milliseconds));

  if (!file.deletedAt && !isTerminalPrimary(file.primaryStatus)) {
    run = await describeRun(engine, file.id, milliseconds);
    if (!run || run.generation < file.generation) {
      const place = await placeInSession(deps, file, milliseconds, change);
      if (place !== 'queued' && !(await startFileWork(deps, file, change?.priority, place === 'lost'))) {
        return { changed, run, history };
      }
    } else if (run.outcome !== 'running' && run.generation === file.generation) {
      changed = await closeEndedRun(deps, file, run, history);
      // Also when the run closed its row itself before this did.
      await em.refreshOrFail(file);
    }
  }
  await processDueWork(deps, file, milliseconds, change);
  return { changed, run, history };
}

/** What a caller has changed in the row of a file. */
interface FileChange {
  /** Of the work that is due. */
  priority?: PriorityName | undefined;
}

/**
 * Why the engine has no run of an open file: it is queued in its session's workflow, its run was lost after the start,
 * or its start is due.
 */
async function placeInSession(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  milliseconds: number,
  change: FileChange | undefined,
): Promise<'queued' | 'lost' | 'due'> {
  if (file.workflowStartedAt) return 'lost';
  const session = await openSessionOf(em, file);
  if (!session || change) return 'due';
  const run = await describeUploadSessionRun(engine, session.id, milliseconds);
  if (run?.outcome !== 'running' || session.pausedAt || isDue(session)) return 'queued';
  if (!run.hasStartedAll || run.children.has(file.id)) return 'queued';
  // It does not know the file or, once its run has begun, counts that as ended.
  return isDue(file) ? 'due' : 'lost';
}

/**
 * Stops the run of a deleted file, and syncs the index entries that no run keeps up to date; both are idempotent. The row
 * stays due until the run has ended and the entries are synced.
 */
async function processDueWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  milliseconds: number,
  change: FileChange | undefined,
): Promise<void> {
  const { id: fileId, tenantId, deletedAt } = file;
  if (!isDue(file)) return;
  const { index } = mediumOf(file);
  const [stopped = true] = await Promise.all([
    deletedAt ? stopFileWork(engine, file, milliseconds) : undefined,
    index?.isDue(file) && syncIndex(index),
  ]);
  if (stopped && !index?.isDue(file) && !awaitsRun(file)) await acknowledge(em, StoredFile, file);

  async function syncIndex(of: MediumIndex): Promise<void> {
    const run = change
      ? undefined
      : await describeWorkflowRun(engine, indexWorkflowId(of.name, fileId), milliseconds);
    if (run?.outcome !== 'running') await of.sync(engine, { fileId, tenantId });
  }
}

/** Continues without the engine if it is unreachable, or the run was deleted between two calls. */
export function unlessUnanswered(error: unknown): undefined {
  if (!(error instanceof EngineUnavailable) && !(error instanceof WorkflowNotFoundError)) throw error;
}

/** Starts due work of a file, for a request that waits for its end. */
export async function startIfDue(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<void> {
  if (isDue(file)) await reconcileFileIfReachable(deps, file, 'interactive');
}

/** The same for a request that has changed the row; if the engine is unreachable, the sweep retries. */
export async function reconcileFileIfReachable(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  priority?: PriorityName,
): Promise<void> {
  const ids = { tenant_id: file.tenantId, file_id: file.id };
  await ifReachable(deps.engine, ids, () => reconcileFile(deps, file, START_DEADLINE_MS, { priority }));
}

/**
 * Requests cancellation of a deleted file's run. This only saves work: a run that misses it ends at its next step,
 * which finds the file gone. A run of a later generation, begun by a restore, is left alone.
 *
 * @returns whether none is running
 * @throws EngineUnavailable after `milliseconds` per call
 */
async function stopFileWork(engine: Engine, file: StoredFile, milliseconds: number): Promise<boolean> {
  const run = await describeRun(engine, file.id, milliseconds);
  if (run?.outcome !== 'running' || run.generation > file.generation) return true;
  try {
    await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(FILE_WORKFLOWS.of(file.id), run.runId).cancel(),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  return false;
}

export const fileTarget = reconcileTarget<StoredFile>({
  noun: 'file',
  entity: StoredFile,
  workflow: FILE_WORKFLOWS,
  open: { primaryStatus: { $in: OPEN_STATUSES }, deletedAt: null },
  // Of those that wait in a session, that is due instead: one check for all.
  own: () => ({ [raw(NOT_WAITING_IN_SESSION)]: [] }),
  due: () => ({ $or: [{ deletedAt: { $ne: null } }, { [raw(NOT_WAITING_IN_SESSION)]: [] }] }),
  reconcile: async (deps, row, milliseconds) => (await reconcileFile(deps, row, milliseconds)).changed,
});
