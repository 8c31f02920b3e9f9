import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { entries, type ComponentName, type Components } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { isFirstStep } from '../../domain/pipelines/index.ts';
import { primaryStatus, type PrimaryStatus } from '../../domain/primary-status.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import type { PendingStep, RunView } from '../../temporal/status/describe-run.ts';
import type { History } from '../../temporal/status/fetch-history.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { reconcileFile, unlessUnanswered, type ReconciledFile } from './reconcile-file.ts';

/** A file and the current state of its run; a request reads everything about the file from one observation. */
export interface FileObservation {
  file: StoredFile;
  /** As in the row, but `processing` where work is in progress. */
  components: Components;
  primaryStatus: PrimaryStatus;
  /** The newest run; undefined when the file has ended, or the engine has none or did not respond. */
  run: RunView | undefined;
  engine: 'reachable' | 'unreachable';
  /** Set while only the upload exists: `file` then has the announced values, and is in no table. */
  upload?: DirectUpload;
  /** The history of that run, fetched once; undefined without a run, and when the engine does not return it. */
  history(): Promise<History | undefined>;
}

/**
 * Reconciles a file with the engine (reconcile-file.ts), then reads it. One describe call for an open file, none for an
 * ended one, and at most one history, if a view needs it.
 */
export async function observeFile(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<FileObservation> {
  let seen: ReconciledFile;
  try {
    seen = await reconcileFile(deps, file, READ_DEADLINE_MS);
  } catch (error) {
    unlessUnanswered(error);
    const engine = error instanceof EngineUnavailable ? 'unreachable' : 'reachable';
    return observation(file, file.components, { run: undefined, engine, history: async () => undefined });
  }
  const { run } = seen;
  const history = async () => (run ? await seen.history().catch(unlessUnanswered) : undefined);
  const live = run && (await withLiveSteps(file, run, history));
  return observation(file, live ?? file.components, { run, engine: 'reachable', history });
}

function observation(
  file: StoredFile,
  components: Components,
  rest: Pick<FileObservation, 'run' | 'engine' | 'history'>,
): FileObservation {
  return { file, components, primaryStatus: primaryStatus(components), ...rest };
}

async function withLiveSteps(
  file: StoredFile,
  run: RunView,
  history: FileObservation['history'],
): Promise<Components> {
  if (run.outcome !== 'running' || run.generation !== file.generation) return file.components;
  const at = new Date().toISOString();
  const begun = await begunComponents(file, run, history);
  return begun.reduce(
    (all, component) => applyFileEvent(all, { type: 'step_started', component, at }),
    file.components,
  );
}

async function begunComponents(
  file: StoredFile,
  run: RunView,
  history: FileObservation['history'],
): Promise<ComponentName[]> {
  const queued = entries(file.components).flatMap(([name, { status }]) =>
    status === 'queued' ? [name] : [],
  );
  // Between two steps only the next workflow task is pending, and only the history shows which steps have begun.
  const runHistory =
    run.pending.length === 0 && run.decision && queued.length > 0 ? await history() : undefined;
  if (!runHistory) return run.pending.flatMap((step) => begunBy(step, file));
  // The state is not enough: a retried component that was skipped since an earlier one failed has not begun.
  const { timeline } = foldHistory(runHistory, run.runId);
  return queued.filter((name) =>
    timeline.steps.some(({ component, startedAt }) => component === name && startedAt !== undefined),
  );
}

/** The engine does not have the triggers of steps, so it may report the first step in place of a later one. */
function begunBy({ step, component, state, begun }: PendingStep, file: StoredFile): ComponentName[] {
  const waits = state === 'waiting' && isFirstStep(file, step);
  return waits ? begun.filter((name) => name !== component) : [...begun];
}
