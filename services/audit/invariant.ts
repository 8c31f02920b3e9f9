import type { EntityManager } from '@mikro-orm/postgresql';
import type { EntityName, FilterQuery, FindOptions, QueryOrderMap } from '@mikro-orm/core';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { Engine } from '../../temporal/client.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { placePrefix } from '../../domain/object-keys.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

export interface AuditDeps {
  /** A new one per use: an audit reads many rows and must not retain them. */
  em: () => EntityManager;
  engine: Engine;
  objects: ObjectStore;
  vectors: VectorIndex;
  /** The model of these vectors, which are of images. */
  imageModel: string;
  /** The index of document chunks. */
  chunkVectors: VectorIndex;
  /** Files acknowledged as stored to a client: id and SHA-256. Empty if no list was recorded. */
  acknowledged: readonly { fileId: string; sha256: string }[];
  /** Prometheus text of the API. */
  metrics: () => Promise<string>;
}

/** A condition that must hold whenever the service is idle, whatever was killed before. */
export interface Invariant {
  /** `I1` – `I12`. */
  id: string;
  title: string;
  /** Yields one human-readable line per violation. */
  check(deps: AuditDeps): AsyncIterable<string>;
}

const PAGE = 500;
const AT_ONCE = 8;

const BY_ID: QueryOrderMap<{ id: string }> = { id: 'asc' };

/** All matching rows of all tenants, page by page in id order. */
export async function* walk<T extends { id: string }>(
  em: AuditDeps['em'],
  entity: EntityName<T>,
  where: FilterQuery<NoInfer<T>> = {},
): AsyncIterable<T> {
  let after = BEFORE_ALL;
  for (;;) {
    const page = await em().find(
      entity,
      { $and: [{ id: { $gt: after } }, where] } as FilterQuery<NoInfer<T>>,
      { orderBy: BY_ID as NonNullable<FindOptions<T>['orderBy']>, limit: PAGE },
    );
    yield* page as T[];
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}

/** All matching files, including the trash. */
export function walkFiles(
  { em }: Pick<AuditDeps, 'em'>,
  where: FilterQuery<StoredFile> = {},
): AsyncIterable<StoredFile> {
  return walk(em, StoredFile, where);
}

/**
 * All items of a listing of all buckets: the service's own, and those of tenants.
 *
 * @param own the prefix to list in the service's own
 */
export async function* listAll<T>(
  { em }: Pick<AuditDeps, 'em'>,
  own: string,
  list: (prefix: string) => AsyncIterable<T>,
): AsyncIterable<T> {
  yield* list(own);
  for await (const { id, tenantId } of walk(em, StorageConfig)) {
    try {
      yield* list(placePrefix({ tenantId, storageConfigId: id }));
    } catch (error) {
      unlessUnreadable(error);
    }
  }
}

/** The items of an iterable, in batches. */
export async function* inBatches<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncIterable<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Runs a check on each item, a few concurrently, and yields the violations. */
export async function* inspect<T>(
  items: AsyncIterable<T> | Iterable<T>,
  check: (item: T) => Promise<string | undefined>,
): AsyncIterable<string> {
  let batch: Promise<string | undefined>[] = [];
  for await (const item of items) {
    batch.push(check(item).catch(unlessUnreadable));
    if (batch.length < AT_ONCE) continue;
    yield* violations(await Promise.all(batch));
    batch = [];
  }
  yield* violations(await Promise.all(batch));
}

function violations(found: (string | undefined)[]): string[] {
  return found.filter((line) => line !== undefined);
}

/** Objects in an unusable bucket of a tenant cannot be checked. */
function unlessUnreadable(error: unknown): undefined {
  if (!isBucketFailure(error)) throw error;
}
