import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { UploadItem } from './upload-item.ts';

interface Stored extends DBSchema {
  items: { key: number; value: UploadItem; indexes: { owner: string } };
  files: { key: number; value: File };
}

/** An item that has no id yet, with its bytes. */
export interface NewItem {
  item: Omit<UploadItem, 'id'>;
  file?: File;
}

/**
 * The items of the queue and their bytes, in the database of the browser, so that both survive a reload. What the browser
 * refuses to store, for lack of space for example, is kept in memory until the page is closed.
 */
export class UploadStorage {
  readonly #database: IDBPDatabase<Stored> | undefined;
  readonly #inMemory = new Map<number, File>();
  #lastTemporary = 0;

  private constructor(database: IDBPDatabase<Stored> | undefined) {
    this.#database = database;
  }

  static async open(): Promise<UploadStorage> {
    try {
      const database = await openDB<Stored>('darkroom-uploads', 1, {
        upgrade(created) {
          created
            .createObjectStore('items', { keyPath: 'id', autoIncrement: true })
            .createIndex('owner', 'owner');
          created.createObjectStore('files');
        },
      });
      return new UploadStorage(database);
    } catch {
      // Private windows of some browsers have no database.
      return new UploadStorage(undefined);
    }
  }

  /** Everything that an earlier page of the same user has left, in order. */
  async read(owner: string): Promise<UploadItem[]> {
    return (await this.#database?.getAllFromIndex('items', 'owner', owner)) ?? [];
  }

  /** Stores items with their bytes. @returns the items with their ids, negative for those that are only in memory */
  async add(added: readonly NewItem[]): Promise<UploadItem[]> {
    try {
      return await this.#store(added);
    } catch {
      return added.map(({ item, file }) => {
        this.#lastTemporary -= 1;
        if (file) this.#inMemory.set(this.#lastTemporary, file);
        return { ...item, id: this.#lastTemporary };
      });
    }
  }

  async #store(added: readonly NewItem[]): Promise<UploadItem[]> {
    if (!this.#database) throw new Error('this browser has no database');
    const transaction = this.#database.transaction(['items', 'files'], 'readwrite');
    const [items, files] = [transaction.objectStore('items'), transaction.objectStore('files')];
    const stored: UploadItem[] = [];
    // The rejection of `done` comes too, if a request fails.
    transaction.done.catch(() => undefined);
    for (const { item, file } of added) {
      const id = await items.add(item as UploadItem);
      if (file) await files.put(file, id);
      stored.push({ ...item, id });
    }
    await transaction.done;
    return stored;
  }

  /** The bytes of a file; undefined if the browser has dropped them. */
  async file(id: number): Promise<File | undefined> {
    return this.#inMemory.get(id) ?? (await this.#database?.get('files', id));
  }

  /** @param withoutFiles ids of items whose bytes are not needed any more */
  async save(items: readonly UploadItem[], withoutFiles: readonly number[]): Promise<void> {
    for (const id of withoutFiles) this.#inMemory.delete(id);
    const transaction = this.#database?.transaction(['items', 'files'], 'readwrite');
    if (!transaction) return;
    const work: Promise<unknown>[] = [transaction.done];
    for (const item of items) if (item.id > 0) work.push(transaction.objectStore('items').put(item));
    for (const id of withoutFiles) if (id > 0) work.push(transaction.objectStore('files').delete(id));
    await Promise.all(work);
  }

  async remove(ids: readonly number[]): Promise<void> {
    for (const id of ids) this.#inMemory.delete(id);
    const transaction = this.#database?.transaction(['items', 'files'], 'readwrite');
    if (!transaction) return;
    const work: Promise<unknown>[] = [transaction.done];
    for (const id of ids.filter((one) => one > 0)) {
      work.push(transaction.objectStore('items').delete(id), transaction.objectStore('files').delete(id));
    }
    await Promise.all(work);
  }
}
