import { BUCKET_FAILURES } from './bucket-failure.ts';

/** Why unfinished work shows no sign of life. */
export const STUCK_CAUSES = ['no_worker', 'heartbeat_lost', 'retrying', 'waiting_external'] as const;
export type StuckCause = (typeof STUCK_CAUSES)[number];

/** Something a run waits for: an activity or a workflow task. */
export interface PendingWork {
  /** `waiting`: for a worker or for its next attempt. `running`: an attempt is in progress. */
  state: 'waiting' | 'running';
  /** When it was first scheduled; retries do not change this. */
  since: Date;
  /** Start of the current or last attempt. */
  lastStartedAt?: Date;
  lastHeartbeatAt?: Date;
  /** When the waiting attempt is due; in the future during backoff. */
  dueAt?: Date;
  /** Why the last attempt failed; absent if it only waited for its turn. */
  lastFailure?: { code: string };
  /** When a worker of its queue was last seen; undefined when none is known. */
  workerSeenAt?: Date;
}

/** Signs of life of an open run, as reported by the engine. */
export interface Liveness {
  /** When a step was last scheduled or ended. */
  lastProgressAt: Date;
  pending: readonly PendingWork[];
  /** Paused by an operator, so no progress is expected. */
  paused: boolean;
}

export interface Stuck {
  cause: StuckCause;
  lastSignOfLifeAt: Date;
}

/**
 * External causes: a model provider, a server or a site that the steps depend on is down or rejects calls for now, or a
 * program is not installed.
 */
const EXTERNAL = new Set<string>([
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_TIMEOUT',
  'MODEL_UNAUTHORIZED',
  'SERVER_UNAVAILABLE',
  'FFMPEG_MISSING',
  'URL_UNREACHABLE',
  'URL_ANSWERED_ERROR',
  'URL_TIMED_OUT',
  'URL_ROBOTS_UNREACHABLE',
  ...BUCKET_FAILURES,
]);
/**
 * An attempt with this failure was alive until its last heartbeat; other failed attempts are not a sign of
 * life.
 */
const WORKER_LOST = 'WORKER_LOST';

/**
 * Work that is due on a queue without a worker for this long is stuck, whatever patience the caller has: nothing but a
 * start of workers helps. A worker sends a heartbeat every 10 seconds.
 */
export const NO_WORKER_MS = 90_000;

/** Whether a queue has no worker, by when one was last seen there. */
export function isUnserved(workerSeenAt: Date | undefined, now: Date): boolean {
  return !workerSeenAt || now.getTime() - workerSeenAt.getTime() >= NO_WORKER_MS;
}

/**
 * Whether open work has shown no sign of life for `patienceMs`, and why. Signs of life are progress, a newly
 * started or heartbeating attempt, and a worker of the queue: a slow file is never stuck, nor is one that is queued
 * behind others. Work that is due on a queue without a worker is stuck after `NO_WORKER_MS`. Failed attempts are not, so work that keeps failing is stuck however often it is retried.
 *
 * @returns undefined when it is alive or paused
 */
export function findStuck(signs: Liveness, now: Date, patienceMs: number): Stuck | undefined {
  if (signs.paused) return undefined;
  const vitals = signs.pending
    .map((work) => vital(work, now, patienceMs))
    .toSorted((a, b) => a.lastSignOfLifeAt.getTime() - b.lastSignOfLifeAt.getTime());
  const lastSignOfLifeAt = latest(signs.lastProgressAt, vitals.at(-1)?.lastSignOfLifeAt);
  const unserved = vitals.length > 0 && vitals.every(({ cause }) => cause === 'no_worker');
  const limitMs = unserved ? Math.min(patienceMs, NO_WORKER_MS) : patienceMs;
  if (now.getTime() - lastSignOfLifeAt.getTime() < limitMs) return undefined;
  // A run without pending work waits for a workflow worker.
  return { cause: vitals[0]?.cause ?? 'no_worker', lastSignOfLifeAt };
}

function vital(work: PendingWork, now: Date, patienceMs: number): Stuck {
  const { since, lastStartedAt, lastHeartbeatAt, dueAt, workerSeenAt, lastFailure } = work;
  if (work.state === 'running') {
    return { cause: 'heartbeat_lost', lastSignOfLifeAt: latest(since, lastStartedAt, lastHeartbeatAt) };
  }
  const takenAt = latest(dueAt ?? since, workerSeenAt);
  const untaken = !lastFailure || now.getTime() - takenAt.getTime() >= Math.min(patienceMs, NO_WORKER_MS);
  if (untaken) return { cause: 'no_worker', lastSignOfLifeAt: takenAt };
  if (lastFailure.code === WORKER_LOST) {
    return { cause: 'heartbeat_lost', lastSignOfLifeAt: latest(since, lastHeartbeatAt) };
  }
  return { cause: EXTERNAL.has(lastFailure.code) ? 'waiting_external' : 'retrying', lastSignOfLifeAt: since };
}

function latest(first: Date, ...others: (Date | undefined)[]): Date {
  return others.reduce<Date>((last, at) => (at && at > last ? at : last), first);
}
