import { DriverException } from '@mikro-orm/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { DISK_FULL } from '../../db/guard-pool.ts';
import { ObjectStoreFull, ObjectStoreUnavailable } from '../../adapters/object-store/object-store.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { VectorIndexError } from '../../adapters/vector-index/vector-index.ts';
import { EngineUnavailable } from '../../temporal/client.ts';

/** Postgres or its network is failing or timing out, by SQLSTATE or Node's error codes. */
const DATABASE_DOWN =
  /^(08|57P|57014|55P03|25P03|53300|53100|ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/;
/** SQLSTATE query_canceled. */
const QUERY_CANCELED = '57014';
/** Errors of pg and its pool that have no code. */
const DATABASE_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|is not queryable/i;

/**
 * The unavailable backend that caused an error: then it is not the caller's fault, and retrying later helps. Undefined
 * for everything else: a site, a webhook or a tenant's own bucket that refuses a connection is not a backend of the
 * service, so an error code alone proves nothing.
 */
export function outage(
  error: unknown,
): 'object store' | 'database' | 'workflow engine' | 'vector index' | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isBucketFailure(cause)) return undefined;
    if (cause instanceof ObjectStoreUnavailable) return 'object store';
    if (cause instanceof EngineUnavailable) return 'workflow engine';
    if (cause instanceof VectorIndexError && cause.code === 'VECTOR_INDEX_UNAVAILABLE') return 'vector index';
    if (cause instanceof DriverException && isDatabaseDown(cause)) return 'database';
  }
  return undefined;
}

/** Whether a statement exceeded its time limit. That counts as an outage, unless the caller can reduce the request. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof DriverException && error.code === QUERY_CANCELED;
}

/** Whether a backend's disk is full: nothing can be written until there is room, and reads still work. */
export function isStorageFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isBucketFailure(cause)) return false;
    if (cause instanceof ObjectStoreFull) return true;
    if (cause instanceof DriverException && cause.code === DISK_FULL) return true;
  }
  return false;
}

function isDatabaseDown({ code, message }: DriverException): boolean {
  return DATABASE_DOWN.test(code ?? '') || DATABASE_MESSAGE.test(message);
}

const FIRST_PAUSE_MS = 50;
/** At most five statements per second for each waiting client. */
const LONGEST_PAUSE_MS = 200;
/** A start that fails takes up to a second, and its failure is logged. */
const FIRST_START_MS = 1000;
const LONGEST_START_MS = 8000;

export interface PollOptions {
  milliseconds: number;
  /** Aborted once the client no longer waits. */
  signal?: AbortSignal;
  /** Starts work still due, at increasing intervals, since the sweep may come after the client has left. */
  startDue?: () => Promise<unknown>;
}

/**
 * Repeats a check of rows at increasing intervals until it has a result or the time is up: rows hold the outcome
 * whichever process recorded it. It runs at least once. Work that has not reached the engine is started meanwhile.
 *
 * @returns undefined when the time is up
 */
export async function pollUntil<T>(
  check: () => Promise<T | undefined>,
  { milliseconds, signal, startDue }: PollOptions,
): Promise<T | undefined> {
  const deadline = Date.now() + milliseconds;
  let [startAt, startPause] = [0, FIRST_START_MS];
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const result = await check();
    const left = deadline - Date.now();
    if (result !== undefined || left <= 0 || signal?.aborted) return result;
    if (startDue && Date.now() >= startAt) {
      await startDue();
      startAt = Date.now() + startPause;
      startPause = Math.min(startPause * 2, LONGEST_START_MS);
    }
    await sleep(Math.max(0, Math.min(pause, deadline - Date.now())));
  }
}
