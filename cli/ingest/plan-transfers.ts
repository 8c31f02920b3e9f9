import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** A file found by the walk of the folder. */
export interface LocalFile {
  /** Relative to the folder, with `/`: the path shown to the user. */
  path: string;
  absolute: string;
  sizeBytes: number;
  mtimeMs: number;
}

export interface HashedFile extends LocalFile {
  /** Lower-case hex. */
  sha256: string;
}

/** The phase in which a file failed, and why. */
export interface Failure {
  where: string;
  code: string;
  message: string;
}

const CHUNK_BYTES = 1024 * 1024;

/** SHA-256 of a file in lower-case hex, read in chunks. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), hash, { ...(signal && { signal }) });
  return hash.digest('hex');
}

/** Limits of one request. */
interface TransferLimits {
  /** Files of one batch, a limit of the account's tier. */
  batchFiles: number;
  /** Bytes of one batch. A single file may be larger, up to `directOverBytes`. */
  batchBytes: number;
  /** Larger files go straight to the object store. */
  directOverBytes: number;
}

interface TransferPlan<F> {
  batches: F[][];
  directs: F[];
}

/** Videos of any size go straight to the object store: the API does not accept their bytes. */
const VIDEO = /\.(mp4|m4v|mov|webm|mkv)$/i;

/** Assigns each file to exactly one batch or direct upload, in the given order. */
export function planTransfers<F extends Pick<LocalFile, 'sizeBytes' | 'path'>>(
  files: readonly F[],
  { batchFiles, batchBytes, directOverBytes }: TransferLimits,
): TransferPlan<F> {
  const plan: TransferPlan<F> = { batches: [], directs: [] };
  let bytes = 0;
  for (const file of files) {
    // An empty file cannot be a direct upload, whatever the threshold.
    if (file.sizeBytes > 0 && (file.sizeBytes > directOverBytes || VIDEO.test(file.path))) {
      plan.directs.push(file);
      continue;
    }
    const last = plan.batches.at(-1);
    if (last && last.length < batchFiles && bytes + file.sizeBytes <= batchBytes) {
      last.push(file);
      bytes += file.sizeBytes;
    } else {
      plan.batches.push([file]);
      bytes = file.sizeBytes;
    }
  }
  return plan;
}
