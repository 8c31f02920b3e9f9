import type { EntityManager } from '@mikro-orm/postgresql';
import { FileTimeline } from '../../db/entities/processing/file-timeline.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { entries, firstFailure, type Components, type FileComponents } from '../../domain/components.ts';
import { isTerminalPrimary, unifiedStatus, type UnifiedStatus } from '../../domain/primary-status.ts';
import { findStuck, NO_WORKER_MS, type Stuck } from '../../domain/stuck.ts';
import { EngineUnavailable } from '../../temporal/client.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import { readLiveness } from '../../temporal/status/read-liveness.ts';
import type { LastSeenOf } from '../../temporal/status/task-queues.ts';
import { mediumOf } from '../media/medium.ts';
import type { FileObservation } from './observe-file.ts';
import { openSessionOf } from './file-target.ts';

export interface UnifiedStatusDeps {
  em: EntityManager;
  /** Shared by a request that reads several files, so that each queue is queried once. */
  lastSeenOf: LastSeenOf;
}

/** The current status of a file, from upload to the end of processing. */
export interface UploadStatus {
  file: StoredFile;
  progress: FileObservation;
  unified: UnifiedStatus | 'uploading' | 'confirming';
  isTerminal: boolean;
  /** Set when it is not done and has no liveness. */
  stuck: Stuck | undefined;
  /** The last error: final, or of an attempt that will be retried. */
  lastError: { message: string; at: Date | undefined } | undefined;
  completedAt: Date | undefined;
  /** Duration of the newest run, until its end or now; 0 before it began. */
  processingMs: number;
}

/**
 * The status of a file, and whether it is stuck. The latter requires the engine: while it is unreachable, nothing is
 * reported as stuck.
 *
 * @param patienceMs unfinished work without liveness for this long is stuck
 */
export async function unifiedStatusOf(
  { em, lastSeenOf }: UnifiedStatusDeps,
  seen: FileObservation,
  patienceMs: number,
): Promise<UploadStatus> {
  if (seen.upload) return statusOfUpload(seen, seen.upload);
  const { components, run } = seen;
  const isTerminal = isTerminalPrimary(seen.primaryStatus);
  const open = !isTerminal && run?.outcome === 'running' ? run : undefined;
  return {
    file: seen.file,
    progress: seen,
    unified: unifiedStatus(components),
    isTerminal,
    stuck: open && (await stuckRun(em, seen, open, lastSeenOf, patienceMs)),
    lastError: lastError({ mediaType: seen.file.mediaType, components }, open),
    completedAt: isTerminal ? lastEnd(components) : undefined,
    processingMs: isTerminal ? await ranFor(em, seen.file) : open ? Date.now() - open.startedAt.getTime() : 0,
  };
}

function statusOfUpload(seen: FileObservation, upload: DirectUpload): UploadStatus {
  const { status, completeRequestedAt, error, updatedAt } = upload;
  const failed = status === 'FAILED';
  return {
    file: seen.file,
    progress: seen,
    unified: failed ? 'failed' : completeRequestedAt ? 'confirming' : 'uploading',
    isTerminal: failed,
    stuck: undefined,
    lastError: error ? { message: error.message, at: updatedAt } : undefined,
    completedAt: failed ? updatedAt : undefined,
    processingMs: 0,
  };
}

async function stuckRun(
  em: EntityManager,
  seen: FileObservation,
  run: RunView,
  lastSeenOf: LastSeenOf,
  patienceMs: number,
): Promise<Stuck | undefined> {
  const now = new Date();
  if (isFresh(run, now.getTime(), patienceMs)) return undefined;
  if (await isPausedBySession(em, seen.file, run)) return undefined;
  const history = await seen.history();
  if (!history) return undefined;
  try {
    const signs = await readLiveness(run, history, lastSeenOf);
    // The history shows no progress within a step that is a single activity.
    const within = await mediumOf(seen.file).lastProgressAt?.(em, seen.file.id);
    const lastProgressAt = within && within > signs.lastProgressAt ? within : signs.lastProgressAt;
    return findStuck({ ...signs, lastProgressAt }, now, patienceMs);
  } catch (error) {
    if (error instanceof EngineUnavailable) return undefined;
    throw error;
  }
}

/** Describe alone proves most open work alive; the history is fetched only for the rest, which may wait for a worker. */
function isFresh({ startedAt, activities }: RunView, now: number, patienceMs: number): boolean {
  if (startedAt.getTime() > now - Math.min(patienceMs, NO_WORKER_MS)) return true;
  return activities
    .filter(({ state }) => state === 'running')
    .flatMap(({ lastStartedAt, lastHeartbeatAt }) => [lastStartedAt, lastHeartbeatAt])
    .some((at) => at !== undefined && at.getTime() > now - patienceMs);
}

/** From the row, because the engine still reports the pause when the session was resumed without a worker running. */
async function isPausedBySession(
  em: EntityManager,
  file: StoredFile,
  { activities }: RunView,
): Promise<boolean> {
  if (!activities.some(({ state, sessionPaused }) => state === 'waiting' && sessionPaused)) return false;
  return (await openSessionOf(em, file))?.pausedAt != null;
}

function lastError(file: FileComponents, run: RunView | undefined): UploadStatus['lastError'] {
  const [, failed] = firstFailure(file) ?? [];
  if (failed) {
    const message = failed.error?.message ?? 'unknown reason';
    return { message, at: failed.endedAt ? new Date(failed.endedAt) : undefined };
  }
  const tried = run?.activities.find(({ lastFailure }) => lastFailure);
  return tried?.lastFailure && { message: tried.lastFailure.message, at: tried.lastEndedAt };
}

function lastEnd(components: Components): Date | undefined {
  const ends = entries(components).flatMap(([, { endedAt }]) => (endedAt ? [Date.parse(endedAt)] : []));
  return ends.length > 0 ? new Date(Math.max(...ends)) : undefined;
}

async function ranFor(em: EntityManager, { id, generation }: StoredFile): Promise<number> {
  const timeline = await em.findOne(FileTimeline, { fileId: id, generation });
  if (!timeline?.run.endedAt) return 0;
  return Math.max(0, Date.parse(timeline.run.endedAt) - Date.parse(timeline.run.startedAt));
}
