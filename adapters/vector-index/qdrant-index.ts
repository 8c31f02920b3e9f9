import { createRequire } from 'node:module';
import type * as Qdrant from '@qdrant/js-client-rest';
import { checkComparison, checkId, checkPoints, checkQuery } from './check-vectors.ts';
import {
  withTimeout,
  checkStoredDimension,
  LARGE_TENANT,
  VectorIndexError,
  type VectorIndex,
} from './vector-index.ts';
import { qdrantAddress } from './config.ts';

/** Loads the client where it is used: 32 MB. */
const require = createRequire(import.meta.url);

/** A search takes milliseconds; a write waits for the WAL. Anything longer fails, and the activity is retried. */
const TIMEOUT_MS = 10_000;
/** 512 dimensions are about 10 KB of JSON, and the server accepts 32 MB per request. */
const POINTS_A_REQUEST = 256;
/** A graph for each large tenant and none for all: every search has a tenant. Small ones are compared without a graph. */
const settings = (dimension: number) => ({
  hnsw_config: { m: 0, payload_m: 16, full_scan_threshold: Math.ceil((LARGE_TENANT * dimension * 4) / 1024) },
  quantization_config: { scalar: { type: 'int8' as const, always_ram: true } },
});
/** Exact comparisons for each hit: compressed vectors have one byte a dimension. */
const OVERSAMPLING = 3;
/** Of a graph, as in its construction. */
const CANDIDATES = 300;

/** Vectors in a Qdrant collection, on a server or a cluster. */
export function createQdrantIndex(options: {
  url: string;
  apiKey?: string;
  collection: string;
  dimension: number;
}): VectorIndex {
  const { url, apiKey, collection, dimension } = options;
  const { QdrantClient } = require('@qdrant/js-client-rest') as typeof Qdrant;
  const client = new QdrantClient({
    ...qdrantAddress(url),
    timeout: TIMEOUT_MS,
    // The check would call the server immediately and print to the console.
    checkCompatibility: false,
    // As `apiKey` it would print a warning for every plain http address, even a local one.
    ...(apiKey !== undefined && { headers: { 'api-key': apiKey } }),
  });
  let verified = false;

  async function exists(): Promise<boolean> {
    if (verified) return true;
    const found = await unlessMissing(client.getCollection(collection));
    if (!found) return false;
    const { vectors } = found.config.params;
    const stored = typeof vectors?.size === 'number' ? vectors.size : undefined;
    checkStoredDimension(collection, stored, dimension);
    verified = true;
    return true;
  }

  async function ensureCollection(): Promise<void> {
    if (await exists()) return;
    try {
      await client.createCollection(collection, {
        vectors: { size: dimension, distance: 'Cosine' },
        ...settings(dimension),
      });
    } catch (error) {
      // Another process created it first; its collection is checked below.
      if (statusOf(error) !== 409) throw error;
    }
    await client.createPayloadIndex(collection, {
      field_name: 'tenantId',
      field_schema: { type: 'uuid', is_tenant: true },
      wait: true,
    });
    await client.createPayloadIndex(collection, { field_name: 'fileId', field_schema: 'uuid', wait: true });
    await exists();
  }

  /** Undefined if the collection does not exist, even if it was deleted a moment ago. */
  async function inCollection<T>(use: () => Promise<T>): Promise<T | undefined> {
    if (!(await exists())) return undefined;
    const result = await unlessMissing(use());
    if (result === undefined) verified = false;
    return result;
  }

  const matching = (tenantId: string, fileIds?: readonly string[]) => [
    { key: 'tenantId', match: { value: tenantId } },
    ...(fileIds ? [{ key: 'fileId', match: { any: [...fileIds] } }] : []),
  ];
  const countWhere = async (filter: { must: ReturnType<typeof matching> }) =>
    (await inCollection(() => client.count(collection, { filter, exact: true })))?.count ?? 0;

  return {
    ready: () => typed(() => withTimeout(client.collectionExists(collection))),

    ensureCollection: () => typed(ensureCollection),

    upsert: (points) =>
      typed(async () => {
        const checked = checkPoints(points, dimension);
        for (let start = 0; start < checked.length; start += POINTS_A_REQUEST) {
          const batch = checked.slice(start, start + POINTS_A_REQUEST).map(toPoint);
          const write = () => client.upsert(collection, { points: batch, wait: true });
          if (await inCollection(write)) continue;
          await ensureCollection();
          await write();
        }
      }),

    find: ({ tenantId, id }) =>
      typed(async () => {
        const ids = [checkId(id)];
        const options = { ids, with_vector: true, with_payload: ['tenantId'] };
        const found = await inCollection(() => client.retrieve(collection, options));
        const point = found?.find(({ payload }) => payload?.['tenantId'] === checkId(tenantId));
        return point && (point.vector as number[]);
      }),

    findMany: ({ tenantId, ids }) =>
      typed(async () => {
        const options = { ids: ids.map(checkId), with_vector: true, with_payload: ['tenantId'] };
        const found = ids.length > 0 ? await inCollection(() => client.retrieve(collection, options)) : [];
        const own = (found ?? []).filter(({ payload }) => payload?.['tenantId'] === checkId(tenantId));
        return new Map(own.map(({ id, vector }) => [String(id), vector as number[]]));
      }),

    compare: (target) =>
      typed(async () => {
        const { tenantId, fileIds, ids, vector } = checkComparison(target, dimension);
        if (ids.length === 0 || fileIds.length === 0) return new Map();
        const found = await inCollection(() =>
          client.query(collection, {
            query: [...vector],
            limit: ids.length,
            params: { exact: true },
            filter: { must: [...matching(tenantId, fileIds), { has_id: [...ids] }] },
          }),
        );
        return new Map((found?.points ?? []).map(({ id, score }) => [String(id), score]));
      }),

    search: (query) =>
      typed(async () => {
        const { vector, tenantId, limit, filter = {} } = checkQuery(query, dimension);
        const { fileIds, excludeFileId } = filter;
        if (fileIds?.length === 0) return [];
        const isExact =
          fileIds !== undefined || (await countWhere({ must: matching(tenantId) })) < LARGE_TENANT;
        const found = await inCollection(() =>
          client.query(collection, {
            query: [...vector],
            limit,
            params: isExact
              ? { exact: true }
              : { hnsw_ef: CANDIDATES, quantization: { rescore: true, oversampling: OVERSAMPLING } },
            with_payload: ['fileId'],
            filter: {
              must: matching(tenantId, fileIds),
              ...(excludeFileId && { must_not: [{ key: 'fileId', match: { value: excludeFileId } }] }),
            },
          }),
        );
        return (found?.points ?? []).map(({ id, payload, score }) => ({
          id: String(id),
          fileId: String(payload?.['fileId']),
          score: Math.max(-1, Math.min(1, score)),
        }));
      }),

    remove: ({ tenantId, fileIds }) =>
      typed(async () => {
        const filter = { must: matching(checkId(tenantId), fileIds.map(checkId)) };
        if (fileIds.length === 0) return 0;
        // The server does not return the number of deleted points.
        const removed = await countWhere(filter);
        if (removed > 0) await inCollection(() => client.delete(collection, { filter, wait: true }));
        return removed;
      }),

    removePoints: ({ tenantId, ids }) =>
      typed(async () => {
        if (ids.length === 0) return;
        const filter = { must: [...matching(checkId(tenantId)), { has_id: ids.map(checkId) }] };
        await inCollection(() => client.delete(collection, { filter, wait: true }));
      }),

    count: (scope) =>
      typed(() => {
        if (!scope) return countWhere({ must: [] });
        return countWhere({ must: matching(checkId(scope.tenantId), scope.fileIds?.map(checkId)) });
      }),

    // A server of its own keeps its files whole.
    repair: () => Promise.resolve(false),

    maintain: () =>
      typed(async () => {
        const stored = await unlessMissing(client.getCollection(collection));
        const { hnsw_config: graph, quantization_config: compressed } = stored?.config ?? {};
        const wanted = settings(dimension);
        const isSet = Object.entries(wanted.hnsw_config).every(
          ([name, value]) => graph?.[name as keyof typeof wanted.hnsw_config] === value,
        );
        // The server builds in the background what differs.
        if (stored && !(isSet && compressed)) await client.updateCollection(collection, wanted);
      }),

    drop: () =>
      typed(async () => {
        verified = false;
        await unlessMissing(client.deleteCollection(collection));
      }),

    // The client's connections are idle between calls and close on their own.
    close: () => Promise.resolve(),
  };
}

function toPoint({ id, vector, ...payload }: ReturnType<typeof checkPoints>[number]) {
  return { id, vector: [...vector], payload };
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;
}

async function typed<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof VectorIndexError) throw error;
    const status = statusOf(error);
    const message =
      status === undefined ? 'the vector index cannot be reached' : `the vector index answered ${status}`;
    throw new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', message, { cause: error });
  }
}
