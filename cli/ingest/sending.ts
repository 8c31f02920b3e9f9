import { access, constants, stat } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import type { Api } from '../../client/api.ts';
import type { Journal } from './journal.ts';
import type { Failure, HashedFile } from './plan-transfers.ts';
import type { Meter } from './progress.ts';
import type { Tally } from './tally.ts';
import { readFailure } from './walk-folder.ts';
import { putToStore } from '../../client/put-to-store.ts';

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

/** Per file. */
const PARTS_AT_ONCE = 3;

export interface PartUrl {
  part_number: number;
  url: string;
  expires_at: string;
}

/**
 * Sends the parts of a file and confirms each.
 *
 * @param which `missing` are the parts to send; by default all but those that an earlier run confirmed
 * @throws ApiProblem, ApiLost
 */
export async function sendParts(
  sending: Sending,
  file: HashedFile,
  { uploadId, urls, partSizeBytes }: { uploadId: string; urls: PartUrl[]; partSizeBytes: number },
  { missing, onSent }: { missing: number[] | undefined; onSent: (bytes: number) => void },
): Promise<void> {
  const { api, journal } = sending;
  const whole = await openAsBlob(file.absolute);
  const confirmed = journal.partsOf(uploadId);
  const wanted = urls.filter(({ part_number: number }) =>
    missing ? missing.includes(number) : !confirmed.has(number),
  );
  await eachOf(wanted, PARTS_AT_ONCE, async ({ part_number: number, url }) => {
    const from = (number - 1) * partSizeBytes;
    const bytes = whole.slice(from, Math.min(from + partSizeBytes, file.sizeBytes));
    const body = { part_number: number };
    const freshUrl = async (attempt: number) => {
      if (attempt === 0 && !missing) return url;
      return (await api.call<PartUrl>('POST', `/files/direct-uploads/${uploadId}/parts/retry`, { body })).body
        .url;
    };
    const etag = await putToStore(sending, { fresh: freshUrl, bytes });
    await api.call('POST', `/files/direct-uploads/${uploadId}/parts/confirm`, {
      body: { ...body, etag, size_bytes: bytes.size },
    });
    onSent(bytes.size);
    await journal.append({ type: 'part', upload: uploadId, number });
  });
}
