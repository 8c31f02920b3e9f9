import { statfs } from 'node:fs/promises';
import { ObjectStoreFull, ObjectStoreUnavailable } from './object-store.ts';

/** SeaweedFS stops writing with one percent free; other stores write until nothing is left. */
const LEAST_SHARE = 0.01;
const LEAST_BYTES = 4 * 2 ** 20;

/**
 * Tells a full disk from an outage of the store: stores answer a write to a full disk with an error that gives no
 * reason.
 *
 * @param folder where the store keeps its data, if this machine can see it
 */
export function createFullDiskCheck(folder: string | undefined) {
  /** Whether the disk has free space; true if no folder is given. */
  async function hasRoom(): Promise<boolean> {
    if (folder === undefined) return true;
    const { bavail, blocks, bsize } = await statfs(folder);
    return bavail > blocks * LEAST_SHARE && bavail * bsize > LEAST_BYTES;
  }

  /** The error of a failed write: ObjectStoreFull if the store gave no reason and its disk is full. */
  async function toWriteError(error: unknown): Promise<unknown> {
    if (!(error instanceof ObjectStoreUnavailable) || (await hasRoom())) return error;
    return new ObjectStoreFull(error.message, { cause: error });
  }

  /** Awaits a write, with the error of `toWriteError` if it fails. */
  async function checked<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      throw await toWriteError(error);
    }
  }

  return { hasRoom, toWriteError, checked };
}
