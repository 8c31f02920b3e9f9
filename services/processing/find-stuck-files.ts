import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import { isUnserved, NO_WORKER_MS, STUCK_CAUSES, type StuckCause } from '../../domain/stuck.ts';
import type { Engine } from '../../temporal/client.ts';
import { QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { createLastSeenOf } from '../../temporal/status/task-queues.ts';
import { listQuietFiles } from '../../temporal/status/list-running-files.ts';
import { observeFile } from './observe-file.ts';
import { unifiedStatusOf, type UploadStatus } from './unified-status-of.ts';

/** Files checked concurrently. */
const CONCURRENCY = 8;
const OPEN: { $in: PrimaryStatus[] } = { $in: ['pending', 'processing'] };
/** Longer than any deadline. */
const LONG_MS = 2 ** 31 - 1;
const QUEUES_DEADLINE_MS = 1000;

/** Queues of steps of files, apart from those of vision models. */
const FILE_QUEUES = Object.values(QUEUES).filter(
  (queue) => queue !== QUEUES.webhooks && queue !== QUEUES.imports,
);

export interface StuckDeps {
  em: EntityManager;
  engine: Engine;
  /** Providers of vision models that are configured: each has a queue. */
  visionProviders: readonly string[];
}

export interface StuckFiles {
  stuck: UploadStatus[];
  /** False when there may be more: the deadline or the limit was reached. */
  complete: boolean;
}

/**
 * The stuck files of a tenant. Candidates are open runs without progress for `patienceMs`, or for as long as a queue may be
 * without a worker where one is, from the engine's visibility store; each is confirmed by describe, because visibility may
 * lag behind a heartbeat, a retry or an end.
 *
 * @param deadlineMs returns what was found by then
 * @throws EngineUnavailable when the candidates cannot be listed
 */
export async function findStuckFiles(
  deps: StuckDeps,
  tenantId: string,
  { patienceMs, limit, deadlineMs = 5000 }: { patienceMs: number; limit: number; deadlineMs?: number },
): Promise<StuckFiles> {
  const timeUp = AbortSignal.timeout(deadlineMs);
  const since = await quietSince(deps, patienceMs);
  const candidates = await listQuietFiles(deps.engine, tenantId, since, deadlineMs);
  return confirmStuck(deps, tenantId, candidates, { patienceMs, limit, timeUp });
}

/**
 * Open files without progress since then may be stuck.
 *
 * @throws EngineUnavailable when it cannot be known which queues have workers
 */
export async function quietSince(
  { engine, visionProviders }: Pick<StuckDeps, 'engine' | 'visionProviders'>,
  patienceMs: number,
): Promise<Date> {
  const lastSeenOf = createLastSeenOf(engine, QUEUES_DEADLINE_MS);
  const seen = await Promise.all([...FILE_QUEUES, ...visionProviders.map(visionQueue)].map(lastSeenOf));
  const now = new Date();
  const unserved = seen.some((at) => isUnserved(at, now));
  return new Date(now.getTime() - (unserved ? Math.min(patienceMs, NO_WORKER_MS) : patienceMs));
}

/**
 * How many files of all tenants are stuck, by cause: at most `limit`, for operators.
 *
 * @throws EngineUnavailable when the candidates cannot be listed
 */
export async function countStuckFiles(
  deps: StuckDeps,
  { patienceMs, limit, deadlineMs }: { patienceMs: number; limit: number; deadlineMs: number },
): Promise<Record<StuckCause, number>> {
  const timeUp = AbortSignal.timeout(deadlineMs);
  const since = await quietSince(deps, patienceMs);
  const candidates = await listQuietFiles(deps.engine, undefined, since, deadlineMs);
  const { stuck } = await confirm(deps, {}, candidates, { patienceMs, limit, timeUp });
  const counts = Object.fromEntries(STUCK_CAUSES.map((cause) => [cause, 0])) as Record<StuckCause, number>;
  for (const status of stuck) if (status.stuck) counts[status.stuck.cause] += 1;
  return counts;
}

/** Which of these files of a tenant are stuck, by describe. None while the engine is unreachable. */
export function confirmStuck(
  deps: Pick<StuckDeps, 'em' | 'engine'>,
  tenantId: string,
  candidates: readonly string[],
  bounds: Bounds,
): Promise<StuckFiles> {
  return confirm(deps, { tenantId }, candidates, bounds);
}

interface Bounds {
  patienceMs: number;
  limit: number;
  timeUp: AbortSignal;
}

async function confirm(
  { em, engine }: Pick<StuckDeps, 'em' | 'engine'>,
  owner: { tenantId?: string },
  candidates: readonly string[],
  { patienceMs, limit, timeUp }: Bounds,
): Promise<StuckFiles> {
  const lastSeenOf = createLastSeenOf(engine, QUEUES_DEADLINE_MS);
  const stuck: UploadStatus[] = [];
  const complete = await checkEach(candidates, timeUp, async (id) => {
    if (stuck.length > limit) return false;
    // One fork per file: an EntityManager must not run transactions concurrently.
    const own = em.fork();
    const file = await own.findOne(StoredFile, { id, ...owner, deletedAt: null, primaryStatus: OPEN });
    const status =
      file &&
      (await unifiedStatusOf(
        { em: own, lastSeenOf },
        await observeFile({ em: own, engine }, file),
        patienceMs,
      ));
    if (status?.stuck) stuck.push(status);
    return true;
  });
  return { stuck: oldestFirst(stuck).slice(0, limit), complete: complete && stuck.length <= limit };
}

/**
 * Checks each id, a few concurrently, until a check returns false.
 *
 * @returns whether all were checked in time
 */
async function checkEach(
  ids: readonly string[],
  timeUp: AbortSignal,
  check: (id: string) => Promise<boolean>,
): Promise<boolean> {
  const queue = ids.values();
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    for (const id of queue) {
      if (timeUp.aborted || !(await check(id))) return false;
    }
    return true;
  });
  const timeout = sleep(LONG_MS, false, { signal: timeUp, ref: false }).catch(() => false);
  return Promise.race([Promise.all(workers).then((done) => done.every(Boolean)), timeout]);
}

function oldestFirst(found: readonly UploadStatus[]): UploadStatus[] {
  const sign = ({ stuck }: UploadStatus) => stuck?.lastSignOfLifeAt.getTime() ?? 0;
  return found.toSorted((a, b) => sign(a) - sign(b));
}
