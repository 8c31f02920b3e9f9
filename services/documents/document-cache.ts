import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { makeTemporaryFolder } from '../../engines/temporary-folders.ts';

/** Unused copies are kept up to this total size, for the next pages of the same document. */
const KEPT_BYTES = 512 * 1024 * 1024;

/** Local copies of objects, for readers that need a file. */
export interface DocumentCache {
  /**
   * Calls `use` with the path of a copy, which exists at least until `use` ends, and afterwards while there is room.
   *
   * @param key of an object that never changes
   * @throws ObjectNotFound, ObjectStoreUnavailable, and the errors of `use`
   */
  with<T>(key: string, signal: AbortSignal, use: (path: string) => Promise<T>): Promise<T>;
  /** Removes all copies. */
  close(): Promise<void>;
}

interface Copy {
  ready: Promise<{ path: string; bytes: number }>;
  users: number;
  bytes: number;
}

/** Copies in a folder of this process. Concurrent requests for an object share one download. */
export function createDocumentCache(objects: ObjectStore): DocumentCache {
  /** Least recently used first. */
  const copies = new Map<string, Copy>();
  let folder: string | undefined;
  let lastName = 0;

  async function download(key: string): Promise<{ path: string; bytes: number }> {
    folder ??= makeTemporaryFolder('documents');
    const path = join(folder, String((lastName += 1)));
    try {
      await pipeline(Readable.from(await objects.open(key)), createWriteStream(path));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { path, bytes: (await stat(path)).size };
  }

  function acquire(key: string): Copy {
    const copy = copies.get(key) ?? { ready: download(key), users: 0, bytes: 0 };
    copies.delete(key);
    copies.set(key, copy);
    copy.users += 1;
    return copy;
  }

  async function release(key: string, copy: Copy): Promise<void> {
    copy.users -= 1;
    let kept = [...copies.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [other, { users, bytes, ready }] of copies) {
      if (kept <= KEPT_BYTES) return;
      if (users > 0 || other === key) continue;
      copies.delete(other);
      kept -= bytes;
      await rm((await ready).path, { force: true });
    }
  }

  return {
    async with(key, signal, use) {
      const copy = acquire(key);
      try {
        const { path, bytes } = await copy.ready;
        copy.bytes = bytes;
        signal.throwIfAborted();
        return await use(path);
      } catch (error) {
        if (copy.bytes === 0 && copies.get(key) === copy) copies.delete(key);
        throw error;
      } finally {
        await release(key, copy);
      }
    },
    async close() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
