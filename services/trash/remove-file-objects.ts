import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { filePrefix, placeOf } from '../../domain/object-keys.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { isBucketGone } from '../storage/explain-bucket-failure.ts';
import { findPurgeCandidate, noteObjects } from './note-removal.ts';

/**
 * Second step of a purge: removes everything stored for a file, including parts of incomplete uploads. Idempotent.
 *
 * @throws ObjectStoreUnavailable, and the AppError of a bucket of the tenant's own that cannot be used
 */
export async function removeFileObjects(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: PurgeCandidate,
): Promise<void> {
  const file = await findPurgeCandidate(em, target);
  if (!file) return;
  const prefix = filePrefix(placeOf(file.tenantId, file.objectKey), file.id);
  const keys = await listKeys(objects, prefix);
  if (!keys) return;
  await noteObjects(em, target.fileId, keys);
  for await (const upload of objects.listIncompleteUploads(prefix)) await objects.abortMultipart(upload);
  await objects.remove(keys);
}

/** Undefined if the whole bucket is gone: it was the tenant's own, and so were the objects. */
async function listKeys(objects: ObjectStore, prefix: string): Promise<string[] | undefined> {
  const keys: string[] = [];
  try {
    for await (const { key } of objects.list(prefix)) keys.push(key);
  } catch (error) {
    if (isBucketGone(error)) return undefined;
    throw error;
  }
  return keys;
}
