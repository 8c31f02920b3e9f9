import { statfs } from 'node:fs/promises';

/** SeaweedFS stops writing at one percent, any store when nothing is left. */
const LEAST_SHARE = 0.01;
const LEAST_BYTES = 4 * 2 ** 20;

/** Whether a store with its data in this folder has room for more. Without a folder that is not known: true. */
export async function hasFreeSpace(folder: string | undefined): Promise<boolean> {
  if (folder === undefined) return true;
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail > blocks * LEAST_SHARE && bavail * bsize > LEAST_BYTES;
}
