/** Why work that is not done shows no sign of life. */
export const STUCK_CAUSES = ['no_worker', 'heartbeat_lost', 'retrying', 'waiting_external'] as const;
export type StuckCause = (typeof STUCK_CAUSES)[number];

/** Something that a run waits for: an activity, or its own next decision. */
export interface PendingWork {
  /** `waiting`: for a worker or for its next attempt. `running`: an attempt is under way. */
  state: 'waiting' | 'running';
  /** When it was first handed out; further attempts do not move this. */
  since: Date;
  /** Start of the attempt under way, or of the last one. */
  lastStartedAt?: Date;
  lastHeartbeatAt?: Date;
  /** When the attempt that waits may be taken; in the future while it is held back. */
  dueAt?: Date;
  /** Why the last attempt failed. */
  lastFailure?: { code: string };
  /** When a worker last asked its queue for work; undefined when none is known to do so. */
  queuePolledAt?: Date;
}

/** What the engine tells of the life of a run that is still open. */
export interface LifeSigns {
  /** When a step last began or ended for good. */
  lastProgressAt: Date;
  pending: readonly PendingWork[];
  /** By an operator, so it is not expected to progress. */
  paused: boolean;
}

export interface Stuck {
  cause: StuckCause;
  lastSignOfLifeAt: Date;
}

/** Failures that are nobody's fault here: a model provider or a server behind the steps is out, or says "not now". */
const EXTERNAL = new Set([
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_TIMEOUT',
  'MODEL_UNAUTHORIZED',
  'SERVER_UNAVAILABLE',
]);
/** An attempt that ended like this was alive until its last heartbeat; others that failed came to nothing. */
const WORKER_LOST = 'WORKER_LOST';

/**
 * Whether open work has shown no sign of life for so long, and why. Life is progress, an attempt that has just begun
 * or heartbeats, and a queue that workers poll: a slow file is never stuck, nor is one that others are before. An
 * attempt that failed is no life, so work that is tried again and again is stuck however often it is tried.
 *
 * @returns undefined when it lives, or is paused
 */
export function findStuck(signs: LifeSigns, now: Date, patienceMs: number): Stuck | undefined {
  if (signs.paused) return undefined;
  const vitals = signs.pending
    .map((work) => vital(work, now, patienceMs))
    .toSorted((a, b) => a.lastSignOfLifeAt.getTime() - b.lastSignOfLifeAt.getTime());
  const lastSignOfLifeAt = latest(signs.lastProgressAt, vitals.at(-1)?.lastSignOfLifeAt);
  if (now.getTime() - lastSignOfLifeAt.getTime() < patienceMs) return undefined;
  // A run that waits for nothing waits for whoever decides its next step.
  return { cause: vitals[0]?.cause ?? 'no_worker', lastSignOfLifeAt };
}

function vital(work: PendingWork, now: Date, patienceMs: number): Stuck {
  const { since, lastStartedAt, lastHeartbeatAt, dueAt, queuePolledAt, lastFailure } = work;
  if (work.state === 'running') {
    return { cause: 'heartbeat_lost', lastSignOfLifeAt: latest(since, lastStartedAt, lastHeartbeatAt) };
  }
  const heldBack = dueAt !== undefined && dueAt > now;
  const takenAt = latest(dueAt ?? since, queuePolledAt);
  const untaken = !heldBack && (!lastFailure || now.getTime() - takenAt.getTime() >= patienceMs);
  if (untaken) return { cause: 'no_worker', lastSignOfLifeAt: takenAt };
  if (lastFailure?.code === WORKER_LOST) {
    return { cause: 'heartbeat_lost', lastSignOfLifeAt: latest(since, lastHeartbeatAt) };
  }
  const external = lastFailure !== undefined && EXTERNAL.has(lastFailure.code);
  return { cause: external ? 'waiting_external' : 'retrying', lastSignOfLifeAt: since };
}

function latest(first: Date, ...others: (Date | undefined)[]): Date {
  return others.reduce<Date>((last, at) => (at && at > last ? at : last), first);
}
