import type { EntityManager } from '@mikro-orm/postgresql';
import { FileTimeline } from '../../db/entities/processing/file-timeline.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { explain, type WaitingStep } from '../../domain/explain.ts';
import type { TimelineRun } from '../../domain/timeline.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import type { FoldedRun } from '../../temporal/status/fold-history.ts';
import { readRun } from '../../temporal/status/read-run.ts';
import { withPendingSteps } from '../../temporal/status/with-pending-steps.ts';
import { sessionPausedSince } from './held-by-session.ts';
import { readFileProgress, type FileProgress } from './read-file-progress.ts';

const HISTORY_DEADLINE_MS = 1000;

export interface FileTimelineView {
  progress: FileProgress;
  /** One sentence: where the file stands and what it waits for. */
  explanation: string;
  /** Every run, oldest first; the open one, if any, as the engine sees it now. */
  runs: TimelineRun[];
}

/** What happened to a file, and why it is not done when it is not. */
export async function readFileTimeline(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<FileTimelineView> {
  const progress = await readFileProgress(deps, file);
  const { run } = progress;
  const kept = await deps.em.find(FileTimeline, { fileId: file.id }, { orderBy: { generation: 'asc' } });
  const runs = kept.map((timeline) => timeline.run);
  const live = run && !runs.some(({ generation }) => generation === run.generation);
  const open = live ? await readOpenRun(deps.engine, file.id, run) : undefined;
  // What has no run yet is held by the row of its session, what has one by what its run was told.
  const since = open ? open.pausedSince : run ? undefined : await sessionPausedSince(deps.em, file);
  const explanation = explain({
    mediaType: file.mediaType,
    components: progress.components,
    engine: progress.engine,
    started: run !== undefined,
    pending: run ? waiting(run) : [],
    pause: since && file.sessionId ? { since, sessionId: file.sessionId } : undefined,
    workflowTaskAttempt: run?.workflowTaskAttempt ?? 1,
  });
  return {
    progress,
    explanation,
    runs: open && run ? [...runs, withPendingSteps(open.timeline, run.pending)] : runs,
  };
}

/** What is not a step can only be a status that the database did not take at once. */
function waiting({ pending, activities }: RunView): WaitingStep[] {
  if (pending.length > 0) return pending;
  return activities.map((activity) => ({ ...activity, title: 'Recording the status' }));
}

async function readOpenRun(engine: Engine, fileId: string, run: RunView): Promise<FoldedRun | undefined> {
  try {
    return await readRun(engine, fileId, run.runId, HISTORY_DEADLINE_MS);
  } catch (error) {
    if (error instanceof EngineUnavailable) return undefined;
    throw error;
  }
}
