import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { filePrefix } from '../../domain/object-keys.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { findPurgeCandidate, noteObjects } from './note-removal.ts';

/**
 * Second step of a purge: removes everything stored for a file, including parts of incomplete uploads. Idempotent.
 *
 * @throws ObjectStoreUnavailable
 */
export async function removeFileObjects(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: PurgeCandidate,
): Promise<void> {
  if (!(await findPurgeCandidate(em, target))) return;
  const prefix = filePrefix(target.tenantId, target.fileId);
  const keys: string[] = [];
  for await (const { key } of objects.list(prefix)) keys.push(key);
  await noteObjects(em, target.fileId, keys);
  for await (const upload of objects.listIncompleteUploads(prefix)) await objects.abortMultipart(upload);
  await objects.remove(keys);
}
