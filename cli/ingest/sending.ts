import { access, constants, stat } from 'node:fs/promises';
import type { Darkroom } from '../../sdk/src/index.ts';
import type { Journal } from './journal.ts';
import type { Failure, HashedFile } from './plan-transfers.ts';
import type { Meter } from './progress.ts';
import type { Tally } from './tally.ts';
import { readFailure } from './walk-folder.ts';

/**
 * Processes items in order with limited concurrency. After the first error no further item is started, those in
 * progress are awaited, and the error is thrown.
 */
export async function eachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed: { error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failed) throw failed.error;
}

/** The context shared by all transfers. */
export interface Sending {
  client: Darkroom;
  journal: Journal;
  tally: Tally;
  meter: Meter;
  tags: string[];
  describe: boolean;
  /** How long a transfer is retried without progress. */
  patienceMs: number;
  signal: AbortSignal;
  /** Called before each pause, with the reason for the user. */
  onPause: (why: Error, milliseconds: number) => void;
  /** Set once the credits are used up; nothing is sent after that. */
  exhausted?: Failure;
}

const MAX_HASHES = 250;

/** Ids of the files that the API already has, by hash. */
export async function findPresent(
  { api }: Darkroom,
  sha256s: readonly string[],
): Promise<Map<string, string>> {
  const present = new Map<string, string>();
  for (let from = 0; from < sha256s.length; from += MAX_HASHES) {
    const hashes = sha256s.slice(from, from + MAX_HASHES);
    const { data } = await api.POST('/files/check-duplicates', { body: { hashes } });
    for (const { hash, file_id: id } of data.duplicates) present.set(hash, id);
  }
  return present;
}

/** Why a file cannot be sent, if so: the bytes sent must be the ones that were hashed. */
export async function localFailure({
  absolute,
  sizeBytes,
  mtimeMs,
}: HashedFile): Promise<Failure | undefined> {
  try {
    const now = await stat(absolute);
    await access(absolute, constants.R_OK);
    if (now.size === sizeBytes && now.mtimeMs === mtimeMs) return undefined;
    return {
      where: 'reading',
      code: 'CHANGED',
      message: 'the file changed after it was read; run the command again',
    };
  } catch (error) {
    return readFailure(error);
  }
}
