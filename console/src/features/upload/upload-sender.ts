import { ConnectionError } from 'darkroom-client';
import { client, isSignedOut } from '../../lib/client.ts';
import { FolderPaths } from './folder-paths.ts';
import { isOpen } from './upload-item.ts';
import { UploadLane } from './upload-lane.ts';
import type { UploadQueue } from './upload-queue.ts';

const LANES = 3;
const FIRST_WAIT_MS = 3000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Sends the items of a queue: three requests at a time, until it is paused, the network fails or the user is signed out.
 * After a failure of the network it tries again by itself, at once when the browser reports a connection.
 */
export class UploadSender {
  readonly #queue: UploadQueue;
  readonly #folders = new FolderPaths();
  readonly #busy = new Set<UploadLane>();
  readonly #idle: UploadLane[];
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queue: UploadQueue) {
    this.#queue = queue;
    this.#idle = Array.from({ length: LANES }, () => new UploadLane(queue, this.#folders));
    queue.subscribe(() => this.#go());
    addEventListener('online', () => this.#reconnect());
    addEventListener('offline', () => this.#stop('offline'));
  }

  pause(): void {
    this.#stop('paused');
  }

  /** Goes on after a pause, a failure of the network or a new sign-in. */
  resume(): void {
    this.#failures = 0;
    this.#queue.standstill = null;
    this.#go();
  }

  /** Items that are on their way with a cancelled one are sent again. */
  cancel(ids: readonly number[]): void {
    for (const id of ids) {
      const item = this.#queue.get(id);
      if (!item || !isOpen(item)) continue;
      this.#queue.change(id, { state: 'cancelled' });
      for (const lane of this.#busy) if (lane.sends(id)) lane.stop();
      if (item.uploadId) void abort(item.uploadId);
    }
  }

  retry(ids: readonly number[]): void {
    this.#folders.forget();
    for (const id of ids) {
      const item = this.#queue.get(id);
      if (item?.state === 'refused' && item.canRetry) this.#queue.change(id, { state: 'pending', sent: 0 });
    }
  }

  #go(): void {
    while (this.#queue.standstill === null) {
      const lane = this.#idle.at(-1);
      const items = lane ? this.#queue.take() : [];
      if (!lane || items.length === 0) return;
      this.#idle.pop();
      this.#busy.add(lane);
      void this.#run(
        lane,
        items.map(({ id }) => id),
      );
    }
  }

  async #run(lane: UploadLane, ids: readonly number[]): Promise<void> {
    try {
      await lane.send(ids);
      this.#failures = 0;
    } catch (error) {
      if (isSignedOut(error)) this.#stop('signed-out');
      else if (error instanceof ConnectionError) this.#retryLater();
    } finally {
      for (const id of ids) {
        if (this.#queue.get(id)?.state === 'uploading') this.#queue.change(id, { state: 'pending', sent: 0 });
      }
      this.#busy.delete(lane);
      this.#idle.push(lane);
      this.#go();
    }
  }

  #stop(reason: 'paused' | 'offline' | 'signed-out'): void {
    clearTimeout(this.#timer);
    // A pause that the user has asked for outlasts the failure of the network.
    if (this.#queue.standstill !== 'paused') this.#queue.standstill = reason;
    for (const lane of this.#busy) lane.stop();
  }

  #retryLater(): void {
    if (this.#queue.standstill !== null) return;
    this.#failures += 1;
    this.#stop('offline');
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    this.#timer = setTimeout(() => this.#reconnect(), wait);
  }

  #reconnect(): void {
    if (this.#queue.standstill !== 'offline') return;
    clearTimeout(this.#timer);
    this.#queue.standstill = null;
    this.#go();
  }
}

/** Frees the stored parts and the reserved credits at once; an upload that cannot be aborted expires. */
async function abort(uploadId: string): Promise<void> {
  const params = { path: { upload_id: uploadId } };
  await client.api.DELETE('/files/direct-uploads/{upload_id}', { params }).catch(() => undefined);
}
