import {
  ApiError,
  ConnectionError,
  Darkroom,
  type DirectOptions,
  type Progress,
  type UploadFields,
  type Uploaded,
} from 'darkroom-client';
import { client, isSignedOut, messageOf } from '../../lib/client.ts';
import type { FolderPaths } from './folder-paths.ts';
import { hashFile } from './hash-file.ts';
import { measuredFetch } from './measured-fetch.ts';
import { UPLOAD_TEXTS } from './texts.ts';
import type { UploadItem } from './upload-item.ts';
import type { UploadQueue } from './upload-queue.ts';

const MIB = 1024 * 1024;
/** Larger files go to the store in parts, of which only the missing ones are sent after an interruption. */
const DIRECT_OVER_BYTES = 16 * MIB;
const PART_BYTES = 8 * MIB;
const MOST_PARTS = 1000;
/** The API takes no more by itself. */
const MOST_STREAMED_BYTES = 100 * MIB;
/** Refusals that the same file meets again. */
const FINAL = new Set(['FILE_TOO_LARGE', 'UNSUPPORTED_MEDIA', 'EMPTY_FILE', 'VALIDATION_FAILED']);

let directOverBytes = DIRECT_OVER_BYTES;

type DirectParts = Pick<DirectOptions, 'upload_mode' | 'part_size_bytes'>;

interface Loaded {
  item: UploadItem;
  file: File;
  hash: string;
}

/** Sends one request at a time, with the files of one destination, and writes the outcome into the queue. */
export class UploadLane {
  readonly #queue: UploadQueue;
  readonly #folders: FolderPaths;
  readonly #client: Darkroom;
  #ids: readonly number[] = [];
  #stop = new AbortController();

  constructor(queue: UploadQueue, folders: FolderPaths) {
    [this.#queue, this.#folders] = [queue, folders];
    this.#client = new Darkroom({
      baseUrl: '/api/v2',
      retries: 2,
      fetch: measuredFetch((bytes) => this.#count(bytes)),
    });
  }

  sends(id: number): boolean {
    return this.#ids.includes(id);
  }

  stop(): void {
    this.#stop.abort();
  }

  /**
   * @param ids items whose state is `uploading`; those that still have it afterwards are to be sent again
   * @throws ConnectionError, ApiError 401, and the reason of `stop`
   */
  async send(ids: readonly number[]): Promise<void> {
    this.#ids = ids;
    this.#stop = new AbortController();
    const items = ids.flatMap((id) => this.#queue.get(id) ?? []);
    const [first] = items;
    if (!first) return;
    try {
      const fields = await this.#fieldsOf(first);
      this.#stop.signal.throwIfAborted();
      if (first.kind === 'link') await this.#sendLinks(items, fields);
      else await this.#sendFiles(await this.#withoutDuplicates(items), fields);
      for (const { id } of items) this.#refuse(id, new Error('the answer does not mention it'));
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      if (error instanceof ConnectionError || isSignedOut(error)) throw error;
      for (const { id } of items) this.#refuse(id, error);
    } finally {
      this.#ids = [];
    }
  }

  async #fieldsOf({ destination, folder }: UploadItem): Promise<UploadFields> {
    const { projectId, tags, category, describe } = destination;
    const folderId = await this.#folders.idOf(projectId, folder);
    return {
      auto_describe: describe,
      ...(tags.length > 0 && { tags: [...tags] }),
      ...(category && { content_category: category }),
      ...(folderId && { folder_id: folderId }),
    };
  }

  /** Reads the files and asks which of them exist, whose bytes need not be sent. */
  async #withoutDuplicates(items: readonly UploadItem[]): Promise<Loaded[]> {
    const loaded: Loaded[] = [];
    const { signal } = this.#stop;
    for (const item of items) {
      const file = await this.#queue.file(item.id);
      const hash = file && (item.hash ?? (await hashFile(file, signal).catch(() => undefined)));
      signal.throwIfAborted();
      if (file && hash) {
        this.#queue.change(item.id, { hash });
        loaded.push({ item, file, hash });
      } else this.#refuse(item.id, undefined, UPLOAD_TEXTS.unreadable);
    }
    if (loaded.length === 0) return [];
    const body = { hashes: [...new Set(loaded.map(({ hash }) => hash))] };
    const { duplicates } = (await client.api.POST('/files/check-duplicates', { body, signal })).data;
    const existing = new Map(duplicates.map((duplicate) => [duplicate.hash, duplicate]));
    return loaded.filter(({ item, hash }) => {
      const found = existing.get(hash);
      if (found) this.#end(item, { file_id: found.file_id, skipped: true }, found.filename);
      else this.#queue.change(item.id, { begun: true });
      return !found;
    });
  }

  async #sendFiles(loaded: readonly Loaded[], fields: UploadFields): Promise<void> {
    const [only] = loaded;
    if (!only) return;
    const { signal } = this.#stop;
    const common = { ...fields, skip_duplicates: true, directOverBytes, signal };
    if (loaded.length === 1) {
      try {
        const { id } = only.item;
        // After an interruption, the store already has some parts.
        const onProgress = ({ sentBytes }: Progress) => {
          if (sentBytes > (this.#queue.get(id)?.sent ?? 0)) this.#queue.change(id, { sent: sentBytes });
        };
        const onUpload = (uploadId: string) => this.#queue.change(id, { uploadId });
        const options = { ...common, ...partsOf(only.file), sha256: only.hash, onProgress, onUpload };
        this.#end(only.item, await this.#client.upload(only.file, options));
      } catch (error) {
        if (!(await this.#isFaultOfStore(error))) throw error;
        this.#withoutStore(only, common.directOverBytes);
      }
      return;
    }
    const files = loaded.map(({ file }) => file);
    for await (const { index, uploaded, error } of this.#client.uploadMany(files, common)) {
      const one = loaded[index];
      if (!one) continue;
      if (uploaded) this.#end(one.item, uploaded);
      else if (await this.#isFaultOfStore(error)) this.#withoutStore(one, common.directOverBytes);
      else if (error instanceof ConnectionError || isSignedOut(error)) throw error;
      else this.#refuse(one.item.id, error);
    }
  }

  async #sendLinks(items: readonly UploadItem[], fields: UploadFields): Promise<void> {
    const { tags, ...common } = fields;
    for (const { id } of items) this.#queue.change(id, { begun: true });
    const links = items.map(({ name }) => ({ url: name, ...(tags && { tags }) }));
    const { signal } = this.#stop;
    const answer = await this.#client.addLinks(links, { ...common, skip_duplicates: true, signal });
    for (const { index, code, reason } of answer.rejections) {
      const item = items[index];
      if (item) this.#refuse(item.id, new ApiError(code, reason, { status: 202 }));
    }
    for (const [index, { file_id: id, skipped }] of answer.immediate_results.entries()) {
      const item = items[index];
      if (item && id) this.#end(item, { file_id: id, skipped });
    }
  }

  /** A page is refused by a store that does not allow its origin exactly as by a broken network. */
  async #isFaultOfStore(error: unknown): Promise<boolean> {
    if (!(error instanceof ConnectionError) || error.message.includes(location.host)) return false;
    try {
      await client.send('GET', '/auth/session', { retries: 0, signal: this.#stop.signal });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Sends files of up to 100 MB through the API from now on; videos and larger ones only the store takes.
   *
   * @param tried what `directOverBytes` was in the attempt that has failed
   */
  #withoutStore({ item, file }: Loaded, tried: number): void {
    const canStream = tried < MOST_STREAMED_BYTES && file.size <= MOST_STREAMED_BYTES;
    directOverBytes = MOST_STREAMED_BYTES;
    if (canStream) this.#queue.change(item.id, { state: 'pending', sent: 0 });
    else this.#queue.change(item.id, { state: 'refused', reason: UPLOAD_TEXTS.noStore, canRetry: true });
  }

  /** @param item as it was before this attempt: of an earlier one, whose answer was lost, the file may be its own */
  #end(item: UploadItem, { file_id: fileId, skipped }: Uploaded, existingName?: string): void {
    if (this.#queue.get(item.id)?.state !== 'uploading') return;
    const state = skipped && !item.begun ? 'duplicate' : 'processing';
    this.#queue.change(item.id, { state, fileId, ...(existingName !== undefined && { existingName }) });
  }

  /** @param why instead of the message of the error; then there is nothing to try again */
  #refuse(id: number, error: unknown, why?: string): void {
    if (this.#queue.get(id)?.state !== 'uploading') return;
    const reason = why ?? messageOf(error);
    const isFinal = why !== undefined || (error instanceof ApiError && FINAL.has(error.code));
    this.#queue.change(id, { state: 'refused', reason, canRetry: !isFinal });
  }

  /** Spreads sent bytes over the files of the request, in order. */
  #count(bytes: number): void {
    let left = bytes;
    for (const id of this.#ids) {
      const item = this.#queue.get(id);
      if (item?.state !== 'uploading') continue;
      const sent = Math.max(0, Math.min(item.size, item.sent + left));
      left -= sent - item.sent;
      if (sent !== item.sent) this.#queue.change(id, { sent });
      if (left === 0) return;
    }
  }
}

function partsOf({ size }: File): DirectParts | undefined {
  if (size <= PART_BYTES) return undefined;
  const least = Math.ceil(size / MOST_PARTS / MIB) * MIB;
  return { upload_mode: 'multipart', part_size_bytes: Math.max(PART_BYTES, least) };
}
