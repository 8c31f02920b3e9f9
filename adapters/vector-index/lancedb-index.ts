/** The embedded vector index. The file is long because its functions share one table and its state. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, Index, type Connection, type Table } from '@lancedb/lancedb';
import { DataType, Field, FixedSizeList, Float32, Schema, Utf8 } from 'apache-arrow';
import { checkComparison, checkId, checkPoints, checkQuery } from './check-vectors.ts';
import {
  withTimeout,
  checkStoredDimension,
  isFileMissing,
  LARGE_TENANT,
  VectorIndexError,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  type VectorPoint,
} from './vector-index.ts';
import { createWriteQueue } from '../write-queue.ts';

/** Each write adds a fragment; with 300 of them a search is 15 times slower. */
const COMPACT_EVERY = 64;
/** Maintenance merges more fragments than these, which are left when writes end: 20 cost a search a third of its time. */
const FRAGMENTS_LEFT = 8;
/** A write creates one version and one fragment of the table, regardless of its number of rows. */
const WRITES_AT_ONCE = 64;
/** Keeps the filter at about 20 KB. */
const IDS_A_DELETION = 500;
/** Readers in other processes may still use an older version. */
const KEEP_VERSIONS_MS = 10 * 60_000;
/** Before a table is removed for its missing files: those of a network folder may be missing for a moment. */
const REREAD_AFTER_MS = 1000;
/** All are searched: they only divide the vectors for their compression, which hardly depends on their number. */
const PARTITIONS = 16;
/** An account with a smaller share of the table is searched exactly: the index compares all accounts. */
const LEAST_SHARE = 1 / 20;
/** Hits of the index that are compared exactly: a compressed vector has one bit a dimension. */
const COMPARED = { least: 300, aHit: 3 };
/** The index compresses vectors of whole bytes; of another dimension, as that of the bundled image model, all are compared. */
const DIMENSIONS_A_BYTE = 8;

export interface LanceDbOptions extends VectorCollection {
  path: string;
}

/**
 * Vectors in a LanceDB folder. Several processes may read and write it: reads see every finished write, and the primary
 * key makes concurrent writes of one id conflict.
 */
export function createLanceDbIndex({
  path,
  collection,
  dimension,
  searchedByFile = false,
}: LanceDbOptions): VectorIndex {
  let connection: Promise<Connection> | undefined;
  // A process may end before it reaches the full number, so its first write compacts as well.
  let writesSinceCompaction = COMPACT_EVERY - 1;

  async function connected(): Promise<Connection> {
    try {
      return await (connection ??= connect(path, { readConsistencyInterval: 0 }));
    } catch (error) {
      connection = undefined;
      throw error;
    }
  }

  /** Reopens the table for each use: that costs 0.2 ms, and detects a folder that was wiped or restored. */
  async function withTable<T>(use: (table: Table) => Promise<T>): Promise<T | undefined> {
    const db = await connected();
    let table: Table;
    try {
      table = await db.openTable(collection);
    } catch (error) {
      // Listing the tables instead would include one that another process is still creating.
      if (error instanceof Error && error.message.includes('was not found')) return undefined;
      throw error;
    }
    try {
      checkStoredDimension(collection, await storedDimension(table), dimension);
      return await use(table);
    } finally {
      table.close();
    }
  }

  async function ensureCollection(): Promise<void> {
    const found = await withTable(() => Promise.resolve(true));
    if (found) return;
    const db = await connected();
    (await db.createEmptyTable(collection, schema(dimension), { existOk: true })).close();
    await withTable(() => Promise.resolve());
  }

  async function drop(): Promise<void> {
    const db = await connected();
    await writes.run(async () => {
      if ((await db.tableNames()).includes(collection)) await db.dropTable(collection);
    });
  }

  async function isTorn(): Promise<boolean> {
    try {
      await typed(() => withTable(readFiles));
      return false;
    } catch (error) {
      if (isFileMissing(error)) return true;
      throw error;
    }
  }

  async function compactIfDue(table: Table): Promise<void> {
    writesSinceCompaction += 1;
    if (writesSinceCompaction < COMPACT_EVERY) return;
    if (await tryToCompact(table)) writesSinceCompaction = 0;
  }

  /** The writes before it are already durable; a compaction that lost a race is retried after the next write. */
  const tryToCompact = (table: Table): Promise<boolean> =>
    compact(table, searchedByFile).then(
      () => true,
      () => false,
    );

  /** Without the queue, concurrent writes of one process would conflict. */
  const writes = createWriteQueue<VectorPoint>(async (points) => {
    // The engine would reject both of two points with one id.
    const latest = new Map(points.map((point) => [point.id, { ...point, vector: [...point.vector] }]));
    const merge = async (table: Table) => {
      const rows = [...latest.values()];
      await table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
      await compactIfDue(table);
      return true;
    };
    if (await withTable(merge)) return;
    await ensureCollection();
    await withTable(merge);
  }, WRITES_AT_ONCE);

  return {
    ready: () => typed(() => withTimeout(connected().then((db) => db.tableNames()))),

    ensureCollection: () => typed(ensureCollection),

    upsert: (points) =>
      typed(async () => {
        const checked = checkPoints(points, dimension);
        if (checked.length > 0) await writes.add(checked);
      }),

    find: ({ tenantId, id }) =>
      typed(() => {
        const where = `id = '${checkId(id)}' AND tenantId = '${checkId(tenantId)}'`;
        return withTable(async (table) => {
          const rows: { vector: Iterable<number> }[] = await table
            .query()
            .where(where)
            .select(['vector'])
            .limit(1)
            .toArray();
          return rows[0] && [...rows[0].vector];
        });
      }),

    findMany: ({ tenantId, ids }) =>
      typed(async () => {
        const found = new Map<string, number[]>();
        if (ids.length === 0) return found;
        const where = `tenantId = '${checkId(tenantId)}' AND ${oneOf('id', ids.map(checkId))}`;
        await withTable(async (table) => {
          const rows: { id: string; vector: Iterable<number> }[] = await table
            .query()
            .where(where)
            .select(['id', 'vector'])
            .toArray();
          for (const { id, vector } of rows) found.set(id, [...vector]);
        });
        return found;
      }),

    compare: (target) =>
      typed(async () => {
        const { tenantId, fileIds, ids, vector } = checkComparison(target, dimension);
        const scores = new Map<string, number>();
        if (ids.length === 0 || fileIds.length === 0) return scores;
        // The files are in an index, the ids in none.
        const where = `tenantId = '${tenantId}' AND ${oneOf('fileId', fileIds)} AND ${oneOf('id', ids)}`;
        await withTable(async (table) => {
          const rows: { id: string; vector: { toArray(): Float32Array } }[] = await table
            .query()
            .where(where)
            .select(['id', 'vector'])
            .toArray();
          for (const row of rows) scores.set(row.id, dotProduct(vector, row.vector.toArray()));
        });
        return scores;
      }),

    search: (query) =>
      typed(async () => {
        const { vector, tenantId, limit, filter = {} } = checkQuery(query, dimension);
        if (filter.fileIds?.length === 0) return [];
        const where = [`tenantId = '${tenantId}'`];
        if (filter.fileIds) where.push(oneOf('fileId', filter.fileIds));
        if (filter.excludeFileId) where.push(`fileId <> '${filter.excludeFileId}'`);
        const hits = await withTable(async (table) => {
          const nearest = table
            .vectorSearch([...vector])
            .distanceType('dot')
            .where(where.join(' AND '))
            .select(['id', 'fileId', '_distance'])
            .limit(limit);
          const isExact = filter.fileIds !== undefined || !(await isLarge(table, tenantId));
          const rows: { id: string; fileId: string; _distance: number }[] = await (
            isExact
              ? nearest.bypassVectorIndex()
              : nearest
                  .nprobes(PARTITIONS)
                  .refineFactor(Math.max(COMPARED.aHit, Math.ceil(COMPARED.least / limit)))
          ).toArray();
          return rows.map(toHit);
        });
        return hits ?? [];
      }),

    remove: ({ tenantId, fileIds }) =>
      typed(async () => {
        const target = `tenantId = '${checkId(tenantId)}' AND ${oneOf('fileId', fileIds.map(checkId))}`;
        if (fileIds.length === 0) return 0;
        const removed = await writes.run(() =>
          withTable(async (table) => {
            const { numDeletedRows } = await table.delete(target);
            await compactIfDue(table);
            return numDeletedRows;
          }),
        );
        return removed ?? 0;
      }),

    removePoints: ({ tenantId, ids }) =>
      typed(async () => {
        const tenant = checkId(tenantId);
        for (let start = 0; start < ids.length; start += IDS_A_DELETION) {
          const some = ids.slice(start, start + IDS_A_DELETION).map(checkId);
          await writes.run(() =>
            withTable(async (table) => {
              await table.delete(`tenantId = '${tenant}' AND ${oneOf('id', some)}`);
              await compactIfDue(table);
            }),
          );
        }
      }),

    count: (scope) =>
      typed(async () => {
        const { tenantId, fileIds } = scope ?? {};
        const where = tenantId === undefined ? [] : [`tenantId = '${checkId(tenantId)}'`];
        if (fileIds) where.push(oneOf('fileId', fileIds.map(checkId)));
        if (fileIds?.length === 0) return 0;
        return (await withTable((table) => table.countRows(where.join(' AND ') || undefined))) ?? 0;
      }),

    maintain: () =>
      typed(async () => {
        await withTable(async (table) => {
          if ((await table.stats()).fragmentStats.numFragments > FRAGMENTS_LEFT) await tryToCompact(table);
          if (dimension % DIMENSIONS_A_BYTE !== 0) return;
          const indexes = await table.listIndices();
          if (indexes.some(({ columns }) => columns.includes('vector'))) return;
          if (!(await hasLargeTenant(table))) return;
          const config = Index.ivfRq({ distanceType: 'dot', numPartitions: PARTITIONS });
          await table.createIndex('vector', { config });
        });
      }),

    repair: () =>
      typed(async () => {
        if (!(await isTorn())) return false;
        await delay(REREAD_AFTER_MS);
        if (!(await isTorn())) return false;
        await drop();
        return true;
      }),

    drop: () => typed(drop),

    close: () =>
      typed(async () => {
        (await connection)?.close();
        connection = undefined;
      }),
  };
}

/**
 * Merges small fragments and indexes new rows for the filters of searches; without an index, a search reads every
 * vector to compare its tenant. Only filtered columns are indexed: each compaction rewrites the indexes, and those of a
 * compaction that lost a race stay for a week.
 */
async function compact(table: Table, searchedByFile: boolean): Promise<void> {
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
  if (!indexed.has('tenantId')) await table.createIndex('tenantId', { config: Index.bitmap() });
  if (searchedByFile && !indexed.has('fileId')) await table.createIndex('fileId', { config: Index.btree() });
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEEP_VERSIONS_MS) });
}

/** Reads from every file of a table: its fragments, and the indexes of its filters. */
async function readFiles(table: Table): Promise<void> {
  const nobody = randomUUID();
  await table.countRows(`tenantId = '${nobody}' OR fileId = '${nobody}'`);
  for await (const _ of table.query().select(['id']));
}

/** Whether the vectors of an account are found by the index, if there is one. */
async function isLarge(table: Table, tenantId: string): Promise<boolean> {
  const own = await table.countRows(`tenantId = '${tenantId}'`);
  return own >= LARGE_TENANT && own >= LEAST_SHARE * (await table.countRows());
}

async function hasLargeTenant(table: Table): Promise<boolean> {
  const least = Math.max(LARGE_TENANT, LEAST_SHARE * (await table.countRows()));
  const counts = new Map<string, number>();
  for await (const batch of table.query().select(['tenantId'])) {
    for (const tenantId of (batch.getChild('tenantId') ?? []) as Iterable<string>) {
      const count = (counts.get(tenantId) ?? 0) + 1;
      if (count >= least) return true;
      counts.set(tenantId, count);
    }
  }
  return false;
}

/** A primary key that is not enforced, but makes concurrent writes of one id conflict instead of duplicating it. */
const PRIMARY_KEY = new Map([['lance-schema:unenforced-primary-key', 'true']]);

function schema(dimension: number): Schema {
  const vector = new FixedSizeList(dimension, new Field('item', new Float32(), true));
  return new Schema([
    new Field('id', new Utf8(), false, PRIMARY_KEY),
    new Field('tenantId', new Utf8(), false),
    new Field('fileId', new Utf8(), false),
    new Field('kind', new Utf8(), false),
    new Field('vector', vector, false),
  ]);
}

async function storedDimension(table: Table): Promise<number | undefined> {
  const type: unknown = (await table.schema()).fields.find((field) => field.name === 'vector')?.type;
  return DataType.isFixedSizeList(type) ? type.listSize : undefined;
}

function dotProduct(one: readonly number[], other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

function toHit(row: { id: string; fileId: string; _distance: number }): VectorHit {
  return { id: row.id, fileId: row.fileId, score: Math.max(-1, Math.min(1, 1 - row._distance)) };
}

function oneOf(column: string, ids: readonly string[]): string {
  return `${column} IN (${ids.map((id) => `'${id}'`).join(', ')})`;
}

async function typed<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof VectorIndexError) throw error;
    throw new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'the vector index failed', { cause: error });
  }
}
