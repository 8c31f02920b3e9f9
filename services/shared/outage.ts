import { DriverException } from '@mikro-orm/core';
import { ObjectStoreFull, ObjectStoreUnavailable } from '../../adapters/object-store/errors.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { VectorIndexError } from '../../adapters/vector-index/vector-index-error.ts';
import { EngineUnavailable } from '../../temporal/client.ts';

/** Postgres or its network is failing or timing out, by SQLSTATE or Node's error codes. */
const DATABASE_DOWN =
  /^(08|57P|57014|55P03|25P03|53300|53100|ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/;
/** SQLSTATE query_canceled. */
const QUERY_CANCELED = '57014';
/** SQLSTATE disk_full. */
const DISK_FULL = '53100';
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
