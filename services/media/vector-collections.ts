import type { EntityManager } from '@mikro-orm/postgresql';
import type { VectorCollection, VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredCollection } from '../../db/entities/shared/stored-collection.ts';
import type { IndexName } from '../../temporal/contract/indexes.ts';

/** A kind of vectors, of which one collection for each model is stored. */
export interface VectorKind {
  indexName: IndexName;
  /** SQL: whether rows name another collection than `own.collection` as that of their vectors. */
  isElsewhere: string;
}

/** Opens a collection of vectors. */
export type OpenIndex = (collection: VectorCollection) => VectorIndex;

/** A rebuild needs a worker with another model than this one has. */
export class OtherModelNeeded extends Error {
  override readonly name = 'OtherModelNeeded';
}

/** How often each worker records the collections of its models. */
export const RECORDED_EVERY_MS = 5 * 60_000;
/** A rebuild removes the former collections only after every process has noticed that another one serves. */
const NOTICED_WITHIN_MS = 10_000;
const REMOVED_AFTER_MS = 2 * NOTICED_WITHIN_MS;
/** Longer than any search. */
const CLOSED_AFTER_MS = 60_000;

const ONE = `(values (?::text, ?::text)) own (index_name, collection)`;
/** Whether a worker may still write to a collection; one report of it may be missing. */
const IN_USE = `seen_at > now() - make_interval(secs => ${(2 * RECORDED_EVERY_MS + 60_000) / 1000})`;
/** The collection that all vectors are to be in: of the workers that are running, that of the one which started last. */
const TARGET = `(select collection from vector_collections where index_name = own.index_name
  order by ${IN_USE} desc, registered_at desc, collection limit 1)`;
const SERVING = `(select collection from vector_collections where index_name = own.index_name and serving_since is not null
  order by serving_since desc limit 1)`;

/**
 * Records that a worker uses the collection of its model. The first collection of an index serves searches at once, others
 * after a rebuild.
 *
 * @param runningSeconds how long ago the worker started
 * @param settings name the model
 */
export async function recordCollection(
  em: EntityManager,
  { indexName }: VectorKind,
  { collection, dimension }: VectorCollection,
  settings: Readonly<Record<string, unknown>>,
  runningSeconds: number,
): Promise<void> {
  await em.execute(
    `insert into vector_collections
       (collection, index_name, dimension, settings, registered_at, seen_at, serving_since)
     select own.collection, own.index_name, ?, ?::jsonb, now() - make_interval(secs => ?), now(),
       case when not exists (select from vector_collections where index_name = own.index_name) then now() end
     from ${ONE}
     on conflict (collection) do update set settings = excluded.settings, seen_at = excluded.seen_at,
       registered_at = greatest(vector_collections.registered_at, excluded.registered_at)`,
    [dimension, JSON.stringify(settings), runningSeconds, indexName, collection],
  );
}

/** Whether all vectors are to be in this collection, and are not, or others are left that no worker uses. */
export async function needsRebuild(
  em: EntityManager,
  { indexName, isElsewhere }: VectorKind,
  collection: string,
): Promise<boolean> {
  const [row] = await em.execute<{ needed: boolean }[]>(
    `select own.collection = ${TARGET} and (${isElsewhere} or own.collection is distinct from ${SERVING}
       or exists (select from vector_collections other
         where other.index_name = own.index_name and other.collection <> own.collection and not ${IN_USE})) as needed
     from ${ONE}`,
    [indexName, collection],
  );
  return row?.needed ?? false;
}

/** The collection that all vectors are to be in; undefined before the first worker has recorded one. */
export async function targetCollection(em: EntityManager, indexName: IndexName): Promise<string | undefined> {
  const [row] = await em.execute<{ target: string | null }[]>(`select ${TARGET} as target from ${ONE}`, [
    indexName,
    '',
  ]);
  return row?.target ?? undefined;
}

/**
 * Whether a worker shall do a part of a rebuild; not if workers with another model have started since.
 *
 * @throws OtherModelNeeded if other workers shall
 */
export async function sharesRebuild(
  em: EntityManager,
  { indexName }: VectorKind,
  { wanted, own }: { wanted: string; own: string },
): Promise<boolean> {
  if ((await targetCollection(em, indexName)) !== wanted) return false;
  if (wanted !== own) throw new OtherModelNeeded(`the vectors of ${wanted} need a worker with its model`);
  return true;
}

/**
 * Ends a pass of a rebuild over all files: searches change to its collection, and once every process has noticed, the
 * collections that no worker uses are removed. Idempotent, and needs no model.
 *
 * @returns false if another pass is needed, which also adds what other workers have written elsewhere meanwhile
 */
export async function endRebuildPass(
  em: EntityManager,
  { indexName, isElsewhere }: VectorKind,
  collection: string,
  open: OpenIndex,
): Promise<boolean> {
  const [now] = await em.execute<{ current: boolean; elsewhere: boolean; serving: boolean }[]>(
    `select coalesce(own.collection = ${TARGET}, false) as current, ${isElsewhere} as elsewhere,
       own.collection is not distinct from ${SERVING} as serving
     from ${ONE}`,
    [indexName, collection],
  );
  // Left to the rebuild of the workers that have started since.
  if (!now?.current) return true;
  if (now.elsewhere) return false;
  if (!now.serving) {
    await em.execute('update vector_collections set serving_since = now() where collection = ?', [
      collection,
    ]);
  }
  const left = await em.execute<(VectorCollection & { unused: boolean })[]>(
    `select former.collection, former.dimension, own.serving_since < now() - make_interval(secs => ?) as unused
     from vector_collections own
       join (select * from vector_collections where not ${IN_USE}) former using (index_name)
     where own.collection = ? and former.collection <> own.collection`,
    [REMOVED_AFTER_MS / 1000, collection],
  );
  if (left.some(({ unused }) => !unused)) return false;
  for (const former of left) await removeUnused(em, former, open);
  return true;
}

/** A worker with its model that starts meanwhile waits for the lock, and records it again. */
async function removeUnused(
  em: EntityManager,
  { collection, dimension }: VectorCollection,
  open: OpenIndex,
): Promise<void> {
  await em.transactional(async (tx) => {
    const locked = await tx.execute<unknown[]>(
      `select from vector_collections where collection = ? and not ${IN_USE} for update`,
      [collection],
    );
    if (locked.length === 0) return;
    const index = open({ collection, dimension });
    await index.drop();
    await index.close();
    await tx.nativeDelete(StoredCollection, { collection });
  });
}

/** The collection that searches use; undefined before the first worker has recorded one. */
async function servingCollection(
  em: EntityManager,
  indexName: IndexName,
): Promise<StoredCollection | undefined> {
  const [newest] = await em
    .fork()
    .find(
      StoredCollection,
      { indexName, servingSince: { $ne: null } },
      { orderBy: { servingSince: 'desc' }, limit: 1 },
    );
  return newest;
}

interface ServedOptions<Model> {
  em: () => EntityManager;
  indexName: IndexName;
  configured: { collection: string; model: Model };
  /** Opens the vectors of another collection. Searches do not wait for their model. */
  openFormer: (former: StoredCollection) => Model;
  closeFormer: (former: Model) => Promise<void>;
}

/** The vectors that searches use, and their model: the former ones until those of the configured model are complete. */
export function createServedModel<Model>({
  em,
  indexName,
  configured,
  openFormer,
  closeFormer,
}: ServedOptions<Model>): { current: () => Promise<Model>; close: () => Promise<void> } {
  let served = configured;
  let reading: { at: number; done: Promise<void> } | undefined;

  async function read(): Promise<void> {
    const serving = await servingCollection(em(), indexName);
    const collection = serving?.collection ?? configured.collection;
    if (collection === served.collection) return;
    const before = served;
    served =
      serving && collection !== configured.collection
        ? { collection, model: openFormer(serving) }
        : configured;
    if (before !== configured) setTimeout(() => void closeFormer(before.model), CLOSED_AFTER_MS).unref();
  }

  return {
    async current() {
      if (!reading || performance.now() - reading.at > NOTICED_WITHIN_MS) {
        const done = read();
        reading = { at: performance.now(), done };
        done.catch(() => (reading = undefined));
      }
      await reading.done;
      return served.model;
    },
    async close() {
      if (served !== configured) await closeFormer(served.model);
    },
  };
}

/**
 * The index of the configured model, whose removals also apply to collections of other models: as long as one of them is
 * kept, no vector in it may outlive its file.
 */
export function removingFromAll(
  { em, indexName, open }: { em: () => EntityManager; indexName: IndexName; open: OpenIndex },
  own: VectorCollection,
): VectorIndex {
  const current = open(own);
  const others = async (): Promise<VectorIndex[]> =>
    (await em().find(StoredCollection, { indexName, collection: { $ne: own.collection } })).map(
      ({ collection, dimension }) => open({ collection, dimension }),
    );
  return {
    ...current,
    async remove(target) {
      for (const index of await others()) await index.remove(target);
      return current.remove(target);
    },
    async removePoints(target) {
      for (const index of await others()) await index.removePoints(target);
      await current.removePoints(target);
    },
  };
}
