import type { EntityManager } from '@mikro-orm/postgresql';
import type { VectorCollection, VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredCollection } from '../../db/entities/shared/stored-collection.ts';
import type { IndexName } from '../../temporal/contract/indexes.ts';

/** A kind of vectors, of which one collection for each model is stored. */
export interface VectorKind {
  indexName: IndexName;
  /** SQL: whether live files may have vectors only in another collection than the one that is its only parameter. */
  isElsewhere: string;
}

/** Opens a collection of vectors. */
export type OpenIndex = (collection: VectorCollection) => VectorIndex;

/** A rebuild removes the former collections only after every process has noticed that another one serves. */
const NOTICED_WITHIN_MS = 10_000;
const REMOVED_AFTER_MS = 2 * NOTICED_WITHIN_MS;
/** Longer than any search. */
const CLOSED_AFTER_MS = 60_000;

/**
 * Records the collection of the configured model. It serves searches at once if no file has vectors of another model, else
 * after a rebuild.
 *
 * @param settings name the model
 * @returns whether a rebuild is needed
 */
export async function registerCollection(
  em: EntityManager,
  { indexName, isElsewhere }: VectorKind,
  { collection, dimension }: VectorCollection,
  settings: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  await em.execute(
    `insert into vector_collections (collection, index_name, dimension, settings, registered_at, serving_since)
     values (?, ?, ?, ?::jsonb, now(), case when not ${isElsewhere} then now() end)
     on conflict (collection) do update set settings = excluded.settings, registered_at = now()`,
    [collection, indexName, dimension, JSON.stringify(settings), collection],
  );
  const [row] = await em.execute<{ needed: boolean }[]>(
    `select ${isElsewhere} or exists (
       select from vector_collections where index_name = ? and collection <> ?) as needed`,
    [collection, indexName, collection],
  );
  return row?.needed ?? false;
}

/**
 * Ends a pass of a rebuild over all files: searches change to the collection of the configured model, and once every process
 * has noticed, the collections that were registered before it are removed. Idempotent.
 *
 * @returns false if another pass is needed, which also adds what other workers have written to former collections meanwhile
 */
export async function endRebuildPass(
  em: EntityManager,
  { indexName, isElsewhere }: VectorKind,
  { collection }: VectorCollection,
  open: OpenIndex,
): Promise<boolean> {
  const [found] = await em.execute<{ elsewhere: boolean }[]>(`select ${isElsewhere} as elsewhere`, [
    collection,
  ]);
  if (found?.elsewhere) return false;
  const former = await em.execute<(VectorCollection & { unused: boolean })[]>(
    `select former.collection, former.dimension,
       coalesce(own.serving_since < now() - make_interval(secs => ?), false) as unused
     from vector_collections own join vector_collections former using (index_name)
     where own.collection = ? and former.registered_at < own.registered_at`,
    [REMOVED_AFTER_MS / 1000, collection],
  );
  if ((await servingCollection(em, indexName))?.collection !== collection) {
    await em.execute('update vector_collections set serving_since = now() where collection = ?', [
      collection,
    ]);
    return former.length === 0;
  }
  if (former.some(({ unused }) => !unused)) return false;
  for (const { collection: name, dimension } of former) {
    const index = open({ collection: name, dimension });
    await index.drop();
    await index.close();
    await em.nativeDelete(StoredCollection, { collection: name });
  }
  return true;
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
