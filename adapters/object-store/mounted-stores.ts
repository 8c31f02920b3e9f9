import { ObjectStoreUnavailable, type Cancellable, type ObjectStore } from './object-store.ts';

/** The store that holds some of the keys. */
export interface Mount {
  /** Equal for keys of the same store. */
  id: string;
  open(): Promise<ObjectStore>;
  /** Maps errors of the store, or of opening it. */
  explain(error: unknown): unknown;
  /** Longer listings fail: none of this system's are longer. */
  maxListed: number;
  /** Time limit for reading an object into memory, so that a slow store does not block a worker. */
  readWithinMs: number;
  /** Time limit for streaming an object. */
  streamWithinMs: number;
}

/**
 * One object store over several: keys below a mount are in the mounted store, all others in `main`. Calls about the
 * store itself go to `main`.
 *
 * @param mountOf the mount of a key or prefix; undefined for `main`
 */
export function mountStores(main: ObjectStore, mountOf: (key: string) => Mount | undefined): ObjectStore {
  async function at<T>(key: string, call: (store: ObjectStore) => Promise<T>): Promise<T> {
    const mount = mountOf(key);
    if (!mount) return call(main);
    try {
      return await call(await mount.open());
    } catch (error) {
      throw mount.explain(error);
    }
  }

  /** Reads with a deadline for the whole body. */
  function reading<O extends Cancellable, T>(
    key: string,
    options: O,
    limit: 'readWithinMs' | 'streamWithinMs',
    read: (store: ObjectStore, options: O) => Promise<T>,
  ): Promise<T> {
    const mount = mountOf(key);
    if (!mount) return read(main, options);
    const late = new ObjectStoreUnavailable(`GET ${key} took more than ${mount[limit]} ms`);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(late), mount[limit]);
    timer.unref();
    const signals = [deadline.signal, ...(options.signal ? [options.signal] : [])];
    const work = at(key, (store) => read(store, { ...options, signal: AbortSignal.any(signals) }));
    if (limit === 'readWithinMs') void work.finally(() => clearTimeout(timer)).catch(() => undefined);
    return work;
  }

  async function* each<T>(prefix: string, list: (store: ObjectStore) => AsyncIterable<T>): AsyncIterable<T> {
    const mount = mountOf(prefix);
    if (!mount) return yield* list(main);
    let listed = 0;
    try {
      for await (const entry of list(await mount.open())) {
        listed += 1;
        if (listed > mount.maxListed) throw new Error(`more than ${mount.maxListed} entries below ${prefix}`);
        yield entry;
      }
    } catch (error) {
      throw mount.explain(error);
    }
  }

  return {
    ensureBucket: () => main.ensureBucket(),
    ready: () => main.ready(),
    hasRoom: () => main.hasRoom(),
    bucketOf: (key) => at(key, (store) => store.bucketOf(key)),
    put: (key, ...rest) => at(key, (store) => store.put(key, ...rest)),
    initiateMultipart: (key, ...rest) => at(key, (store) => store.initiateMultipart(key, ...rest)),
    uploadPart: (upload, ...rest) => at(upload.key, (store) => store.uploadPart(upload, ...rest)),
    copyPart: (from, ...rest) => at(from, (store) => store.copyPart(from, ...rest)),
    completeMultipart: (upload, parts) => at(upload.key, (store) => store.completeMultipart(upload, parts)),
    listParts: (upload, ...rest) => at(upload.key, (store) => store.listParts(upload, ...rest)),
    abortMultipart: (upload) => at(upload.key, (store) => store.abortMultipart(upload)),
    open: (key, options = {}) =>
      reading(key, options, 'streamWithinMs', (store, given) => store.open(key, given)),
    read: (key, options) => reading(key, options, 'readWithinMs', (store, given) => store.read(key, given)),
    readStart: (key, bytes, options = {}) =>
      reading(key, options, 'readWithinMs', (store, given) => store.readStart(key, bytes, given)),
    stat: (key, ...rest) => at(key, (store) => store.stat(key, ...rest)),
    copy: (from, ...rest) => at(from, (store) => store.copy(from, ...rest)),
    presignGet: (key, options) => at(key, (store) => store.presignGet(key, options)),
    presignPut: (key, options) => at(key, (store) => store.presignPut(key, options)),
    presignParts: (upload, ...rest) => at(upload.key, (store) => store.presignParts(upload, ...rest)),
    list: (prefix) => each(prefix, (store) => store.list(prefix)),
    listIncompleteUploads: (prefix) => each(prefix, (store) => store.listIncompleteUploads(prefix)),

    async remove(keys) {
      const byStore = Map.groupBy(keys, (key) => mountOf(key)?.id);
      for (const some of byStore.values()) await at(some[0] ?? '', (store) => store.remove(some));
    },
  };
}
