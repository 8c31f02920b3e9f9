import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { entries, type ComponentName, type Components } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { isTerminalPrimary, primaryStatus, type PrimaryStatus } from '../../domain/primary-status.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { readRun } from '../../temporal/status/read-run.ts';
import { applyVerdict } from './apply-verdict.ts';
import { isHeldBySession } from './held-by-session.ts';
import { startFileWork } from './start-file-work.ts';

/** A read may wait this long for the engine; then the row alone answers. */
const DESCRIBE_DEADLINE_MS = 500;

export interface FileProgress {
  /** As the row has them, but `processing` where work is under way. */
  components: Components;
  primaryStatus: PrimaryStatus;
  /** The newest run; undefined when the file has ended, or the engine does not know it or did not answer. */
  run: RunView | undefined;
  engine: 'reachable' | 'unreachable';
}

/**
 * What the engine knows of a file right now. A row that is still open is compared with its run: components
 * that are under way become `processing`, and the verdict on a run that ended from outside is applied first.
 * Work that the engine does not know is brought to it. Ended files cost nothing extra.
 */
export async function readFileProgress(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<FileProgress> {
  if (isTerminalPrimary(file.primaryStatus)) return progress(file.components, 'reachable');
  try {
    const run = await describeRun(engine, file.id, DESCRIBE_DEADLINE_MS);
    // An engine that was down at the upload, or was wiped since, gets the work now; whoever asks need not wait for the sweep.
    if (!run || run.generation < file.generation) {
      if (!(await isHeldBySession(em, file))) await startFileWork({ em, engine }, file);
    } else if (await applyVerdict({ em, engine }, file, run)) await em.refreshOrFail(file);
    return progress(run ? await withLiveSteps(engine, file, run) : file.components, 'reachable', run);
  } catch (error) {
    if (error instanceof EngineUnavailable) return progress(file.components, 'unreachable');
    // Deleted between two questions.
    if (error instanceof WorkflowNotFoundError) return progress(file.components, 'reachable');
    throw error;
  }
}

async function withLiveSteps(engine: Engine, file: StoredFile, run: RunView): Promise<Components> {
  if (run.outcome !== 'running' || run.generation !== file.generation) return file.components;
  const at = new Date().toISOString();
  const begun = await begunComponents(engine, file, run);
  return begun.reduce(
    (all, component) => applyFileEvent(all, { type: 'step_started', component, at }),
    file.components,
  );
}

async function begunComponents(engine: Engine, file: StoredFile, run: RunView): Promise<ComponentName[]> {
  const queued = entries(file.components).flatMap(([name, { status }]) =>
    status === 'queued' ? [name] : [],
  );
  // Between two steps nothing is pending but the workflow's next decision, and only the history knows what has begun.
  if (run.pending.length === 0 && run.decision && queued.length > 0) {
    const { components } = await readRun(engine, file.id, run.runId, DESCRIBE_DEADLINE_MS);
    return queued.filter((name) => !['pending', 'queued'].includes(components[name]?.status ?? 'pending'));
  }
  return run.pending.filter((step) => step.begun).map(({ component }) => component);
}

function progress(components: Components, engine: FileProgress['engine'], run?: RunView): FileProgress {
  return { components, primaryStatus: primaryStatus(components), run, engine };
}
