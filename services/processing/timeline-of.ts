import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { entries } from '../../domain/components.ts';
import { explain, type WaitingStep } from '../../domain/explain.ts';
import type { TimelineRun } from '../../domain/timeline.ts';
import { desiredFileState } from '../../domain/upload-sessions/upload-session.ts';
import { explainUpload } from '../../domain/uploads/direct-upload.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { withPendingSteps } from '../../temporal/status/fetch-history.ts';
import { mediumOf } from '../media/medium.ts';
import type { FileObservation } from './observe-file.ts';
import { sessionOf } from './file-target.ts';

export interface FileTimelineView {
  progress: FileObservation;
  /** One sentence: the state of the file and the cause of any wait. */
  explanation: string;
  /** The newest runs, and those that decided a component, oldest first; an open one as currently in the engine. */
  runs: TimelineRun[];
}

/** The number of retries of a file is not limited. */
const NEWEST_RUNS = 100;

/** The history of a file and, if it is unfinished, the reason. */
export async function timelineOf(em: EntityManager, seen: FileObservation): Promise<FileTimelineView> {
  const { file, run } = seen;
  const runs = await readRuns(em, file);
  const live = run && !runs.some(({ generation }) => generation === run.generation);
  const history = live ? await seen.history() : undefined;
  const explanation = await explanationOf(em, seen);
  if (!history || !run) return { progress: seen, explanation, runs };
  const { timeline } = foldHistory(history, run.runId);
  return { progress: seen, explanation, runs: [...runs, withPendingSteps(timeline, run.pending)] };
}

/** Times are compared as text, since all are in UTC and in the same format. */
async function readRuns(em: EntityManager, { id, components }: StoredFile): Promise<TimelineRun[]> {
  const ends = entries(components).flatMap(([, { endedAt }]) => endedAt ?? []);
  const rows = await em.execute<{ run: TimelineRun }[]>(
    `select run from file_timelines where file_id = ? and (
       generation > (select max(generation) from file_timelines where file_id = ?) - ?
       or generation in (
         select max(generation) from jsonb_array_elements_text(?::jsonb) as ended
           join file_timelines on file_id = ? and run ->> 'startedAt' <= ended collate "C"
         group by ended))
     order by generation`,
    [id, id, NEWEST_RUNS, JSON.stringify(ends), id],
  );
  return rows.map(({ run }) => run);
}

export async function explanationOf(em: EntityManager, seen: FileObservation): Promise<string> {
  const { file, run, upload } = seen;
  if (upload) {
    const { status, completeRequestedAt, error, expiresAt } = upload;
    const state = { status, completeRequested: completeRequestedAt !== null, error: error ?? null };
    return explainUpload(state, expiresAt);
  }
  const session = await sessionOf(em, file);
  const desired = session && desiredFileState(session, file.workflowStartedAt);
  return explain({
    mediaType: file.mediaType,
    components: seen.components,
    engine: seen.engine,
    started: run !== undefined,
    pending: run ? await withProgress(em, file, waiting(run)) : [],
    pause:
      desired === 'pause' && session?.pausedAt
        ? { since: session.pausedAt, sessionId: session.id }
        : undefined,
    operatorPause: run?.operatorPause,
    cancelRequested: run?.cancelRequested || desired === 'cancel',
    workflowTaskAttempt: run?.workflowTaskAttempt ?? 1,
  });
}

/** An activity that is not a step can only be a projection that the database has not accepted yet. */
function waiting({ pending, activities }: RunView): WaitingStep[] {
  if (pending.length > 0) return pending;
  return activities.map((activity) => ({ ...activity, title: 'Recording the status' }));
}

/** Progress comes from rows, so that neither the engine nor its history carries it. */
async function withProgress(
  em: EntityManager,
  file: StoredFile,
  [step, ...others]: WaitingStep[],
): Promise<WaitingStep[]> {
  if (!step) return [];
  const progress = await mediumOf(file).progress?.(em, file.id);
  return [{ ...step, ...(progress && { progress }) }, ...others];
}
