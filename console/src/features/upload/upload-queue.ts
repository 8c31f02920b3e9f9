import { isOpen, isOver, isStored, totalsOf, type Totals, type UploadItem } from './upload-item.ts';
import type { NewItem, UploadStorage } from './upload-storage.ts';

/** Why nothing is sent at the moment, if so. */
export type Standstill = 'paused' | 'offline' | 'signed-out' | null;

/** What components show; replaced at every change. */
export interface UploadSnapshot {
  items: readonly UploadItem[];
  totals: Totals;
  standstill: Standstill;
}

const EMPTY: UploadSnapshot = { items: [], totals: totalsOf([]), standstill: null };
/** Several changes are shown and stored together. */
const FLUSH_MS = 150;
const STORED_TOGETHER = 100;
/** Files of one request, whose answer has the id of each. */
const MOST_TOGETHER = 5;
const SMALL_BYTES = 4 * 1024 * 1024;

/** The list of files and links to add. It only keeps them; `UploadSender` sends them. */
export class UploadQueue {
  readonly owner: string;
  readonly #storage: UploadStorage;
  /** Of this page; those of former pages are taken over with their items. */
  readonly #name = crypto.randomUUID();
  readonly #items = new Map<number, UploadItem>();
  readonly #listeners = new Set<() => void>();
  readonly #changed = new Set<number>();
  #snapshot = EMPTY;
  #standstill: Standstill = null;
  #isScheduled = false;

  constructor(owner: string, storage: UploadStorage) {
    [this.owner, this.#storage] = [owner, storage];
    void navigator.locks.request(lockOf(this.#name), () => forever);
  }

  /**
   * Takes over what earlier pages of this user have left, as soon as they are closed: a reload is such a case, and another
   * tab is left alone while it is open.
   */
  async takeOver(): Promise<void> {
    const left = Map.groupBy(await this.#storage.read(this.owner), ({ queue }) => queue);
    for (const queue of left.keys()) void navigator.locks.request(lockOf(queue), () => this.#adopt(queue));
  }

  async #adopt(queue: string): Promise<void> {
    // Read again: the other page may have gone on until now.
    const items = (await this.#storage.read(this.owner)).filter((item) => item.queue === queue);
    if (items.every(isOver) && !items.some(({ state }) => state === 'refused')) {
      await this.#storage.remove(items.map(({ id }) => id));
      return;
    }
    for (const item of items) {
      this.#items.set(item.id, { ...item, queue: this.#name });
      this.#changed.add(item.id);
      if (item.state === 'uploading') this.change(item.id, { state: 'pending', sent: 0 });
    }
    this.#schedule();
  }

  /** Adds items as they are found, a hundred at a time, so that a folder of any size can be added. */
  async add(found: AsyncIterable<Added> | Iterable<Added>): Promise<number> {
    let [some, count]: [NewItem[], number] = [[], 0];
    const store = async () => {
      for (const item of await this.#storage.add(some)) this.#items.set(item.id, item);
      count += some.length;
      some = [];
      this.#schedule();
    };
    const own = { owner: this.owner, queue: this.#name, state: 'pending', sent: 0 } as const;
    for await (const { file, ...item } of found) {
      some.push({ item: { ...item, ...own }, ...(file && { file }) });
      if (some.length === STORED_TOGETHER) await store();
    }
    if (some.length > 0) await store();
    return count;
  }

  get(id: number): UploadItem | undefined {
    return this.#items.get(id);
  }

  file(id: number): Promise<File | undefined> {
    return this.#storage.file(id);
  }

  change(id: number, change: Partial<UploadItem>): void {
    const item = this.#items.get(id);
    if (!item) return;
    this.#items.set(id, { ...item, ...change });
    this.#changed.add(id);
    this.#schedule();
  }

  /** Removes items that need nothing more. */
  async clear(which: (item: UploadItem) => boolean): Promise<void> {
    const ids = [...this.#items.values()].filter((item) => isOver(item) && which(item)).map(({ id }) => id);
    for (const id of ids) this.#items.delete(id);
    this.#schedule();
    await this.#storage.remove(ids);
  }

  get standstill(): Standstill {
    return this.#standstill;
  }

  set standstill(reason: Standstill) {
    this.#standstill = reason;
    this.#schedule();
  }

  /**
   * The next items to send in one request, marked as being sent: links, several small files with one destination, or one
   * file. Empty if nothing waits.
   */
  take(): UploadItem[] {
    const taken: UploadItem[] = [];
    for (const item of this.#items.values()) {
      if (item.state !== 'pending') continue;
      const [first] = taken;
      if (first && !goTogether(first, item)) continue;
      taken.push(item);
      if (taken.length === MOST_TOGETHER || (item.kind === 'file' && item.size > SMALL_BYTES)) break;
    }
    for (const { id } of taken) this.change(id, { state: 'uploading', sent: 0 });
    return taken;
  }

  processing(): UploadItem[] {
    return [...this.#items.values()].filter(({ state }) => state === 'processing');
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): UploadSnapshot => this.#snapshot;

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#flush(), FLUSH_MS);
  }

  async #flush(): Promise<void> {
    this.#isScheduled = false;
    const items = [...this.#items.values()].toSorted((a, b) => order(a) - order(b));
    this.#snapshot = { items, totals: totalsOf(items), standstill: this.#standstill };
    for (const listener of this.#listeners) listener();
    const changed = [...this.#changed].flatMap((id) => this.#items.get(id) ?? []);
    this.#changed.clear();
    const done = changed.filter((item) => isStored(item) || (isOver(item) && !item.canRetry));
    const ids = done.map(({ id }) => id);
    // What cannot be stored is sent again after a reload, and found to be there.
    if (changed.length > 0) await this.#storage.save(changed, ids).catch(() => undefined);
  }
}

/** A file with its bytes, or a link. */
export type Added = Pick<UploadItem, 'kind' | 'name' | 'folder' | 'size' | 'destination'> & { file?: File };

const forever = new Promise<never>(() => undefined);
const lockOf = (queue: string) => `darkroom-uploads-${queue}`;

/** Those that the browser could not store have ids that descend from 0, and come last. */
const order = ({ id }: UploadItem) => (id > 0 ? id : Number.MAX_SAFE_INTEGER + id);

function goTogether(one: UploadItem, other: UploadItem): boolean {
  if (one.kind !== other.kind || one.folder !== other.folder || other.size > SMALL_BYTES) return false;
  return JSON.stringify(one.destination) === JSON.stringify(other.destination);
}

/** Whether anything is being sent or waits for it. */
export const isBusy = ({ items }: UploadSnapshot): boolean => items.some(isOpen);
