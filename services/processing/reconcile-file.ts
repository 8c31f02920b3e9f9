import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import type { PriorityName } from '../../temporal/contract/queues.ts';
import { startSyncImageIndex } from '../../temporal/starters/sync-image-index.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { fetchHistory, type History } from '../../temporal/status/fetch-history.ts';
import { closeEndedRun } from './close-ended-run.ts';
import { openSessionOf } from './open-session-of.ts';
import { startFileWork } from './start-file-work.ts';
import { stopFileWork } from './stop-file-work.ts';

/** What the engine said of a file. */
export interface ReconciledFile {
  /** Whether the row was behind its workflow and has been written. */
  changed: boolean;
  /** The newest run; undefined for a file that has ended, and for one that the engine does not know. */
  run: RunView | undefined;
  /** The history of that run, fetched when it is first asked for and once. */
  history(): Promise<History>;
}

/**
 * Brings a file's row and the engine in line, whichever is behind: work that the engine does not know is started, the
 * end of a run that did not record it is written to the row, and what a deletion or a restore has left to do is begun.
 * Safe to repeat, from any number of processes. Ended files cost nothing but what is due.
 *
 * @param file is refreshed when it was changed
 * @param milliseconds for each call to the engine
 * @throws EngineUnavailable
 */
export async function reconcileFile(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  milliseconds: number,
  priority?: PriorityName,
): Promise<ReconciledFile> {
  const { em, engine } = deps;
  let changed = false;
  let run: RunView | undefined;
  let fetched: Promise<History> | undefined;
  const history = () => (fetched ??= fetchHistory(engine, fileWorkflowId(file.id), run?.runId, milliseconds));

  if (!file.deletedAt && !isTerminalPrimary(file.primaryStatus)) {
    run = await describeRun(engine, file.id, milliseconds);
    if (!run || run.generation < file.generation) {
      if (!(await isWaitingInSession(em, file)) && !(await startFileWork(deps, file, priority))) {
        return { changed, run, history };
      }
    } else if (run.outcome !== 'running' && run.generation === file.generation) {
      changed = await closeEndedRun(deps, file, run, history);
    }
  }
  await doWhatIsDue(deps, file, milliseconds);
  if (changed) await em.refreshOrFail(file);
  return { changed, run, history };
}

/** Its session's workflow knows of it and starts it in its turn. */
async function isWaitingInSession(em: EntityManager, file: StoredFile): Promise<boolean> {
  if (file.workflowStartedAt || file.engineDueAt) return false;
  return (await openSessionOf(em, file)) !== undefined;
}

/** Work to stop, and an entry in the similarity index to update; each may be asked for again. */
async function doWhatIsDue(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  milliseconds: number,
): Promise<void> {
  const { id, tenantId, engineDueAt, deletedAt, describedAt } = file;
  if (!engineDueAt) return;
  await Promise.all([
    deletedAt && stopFileWork(engine, file, milliseconds),
    describedAt && startSyncImageIndex(engine, { fileId: id, tenantId }),
  ]);
  await em.nativeUpdate(StoredFile, { id, engineDueAt }, { engineDueAt: null });
}

/** The same for a request that has changed the row; what does not reach the engine now, the sweep brings there. */
export async function reconcileFileIfReachable(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  priority?: PriorityName,
): Promise<void> {
  try {
    await reconcileFile(deps, file, START_DEADLINE_MS, priority);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}
