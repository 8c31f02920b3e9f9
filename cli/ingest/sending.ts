import { access, constants, stat } from 'node:fs/promises';
import type { Api } from '../../client/api.ts';
import type { Journal } from './journal.ts';
import type { Failure, HashedFile } from './local-file.ts';
import type { Meter } from './progress.ts';
import type { Tally } from './tally.ts';
import { readFailure } from './walk-folder.ts';

/** The context shared by all transfers. */
export interface Sending {
  api: Api;
  journal: Journal;
  tally: Tally;
  meter: Meter;
  tags: string[];
  describe: boolean;
  /** How long a transfer is retried without progress. */
  patienceMs: number;
  signal: AbortSignal;
  /** Set once the credits are used up; nothing is sent after that. */
  exhausted?: Failure;
}

const MAX_HASHES = 250;

/** Ids of the files that the API already has, by hash. */
export async function findPresent(api: Api, sha256s: readonly string[]): Promise<Map<string, string>> {
  const present = new Map<string, string>();
  for (let from = 0; from < sha256s.length; from += MAX_HASHES) {
    const hashes = sha256s.slice(from, from + MAX_HASHES);
    const { body } = await api.call<{ duplicates: { hash: string; file_id: string }[] }>(
      'POST',
      '/files/check-duplicates',
      { body: { hashes } },
    );
    for (const { hash, file_id } of body.duplicates) present.set(hash, file_id);
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
