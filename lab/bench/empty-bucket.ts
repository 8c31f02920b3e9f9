import type { ObjectStore } from '../../adapters/object-store/object-store.ts';

/** Removes every object, so that rounds of many megabytes do not fill the disk. */
export async function emptyBucket(objects: ObjectStore): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) keys.push(key);
  await objects.remove(keys);
}
