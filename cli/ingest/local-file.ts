import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** A file of the folder as the walk found it. */
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
