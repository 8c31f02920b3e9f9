import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isErrno } from '../../dev/processes/json-file.ts';
import { ApiError, ConnectionError, Darkroom, isRetryable, type Data } from '../../sdk/src/index.ts';
import { UsageError } from '../shared/usage-error.ts';
import { eachOf, findPresent, type Sending } from './sending.ts';
import type { ApiTarget } from '../shared/find-api.ts';
import { openWork, waitUntilProcessed } from './follow.ts';
import { type HashedFile, hashFile, type LocalFile, planTransfers } from './plan-transfers.ts';
import { Journal } from './journal.ts';
import type { IngestOptions } from './options.ts';
import { createMeter, type Progress } from './progress.ts';
import { humanBytes, type Tally } from './tally.ts';
import { sendBatch } from './send-batch.ts';
import { sendDirect } from './send-direct.ts';
import { readFailure, walkFolder } from './walk-folder.ts';

/** Limit of one request: large enough that requests are few, small enough that a failed one is cheap to repeat. */
const BATCH_BYTES = 32 * 1024 * 1024;
const HASHED_AT_ONCE = 2;

export interface IngestRun {
  options: IngestOptions;
  target: ApiTarget;
  /** Real and absolute. */
  folder: string;
  statePath: string;
  progress: Progress;
  tally: Tally;
  signal: AbortSignal;
  /** Called once the folder has been walked. */
  onWalked: (files: number, skipped: number) => void;
}

type Quota = Data<'/files/quota-check', 'get'>;

/**
 * Uploads a folder in phases: walk, hash, check for duplicates, send, wait. The tally has the outcome of each file,
 * even when this throws.
 *
 * @throws UsageError, ApiError, ConnectionError, and the reason of the signal
 */
export async function runIngest(run: IngestRun): Promise<void> {
  const { options, target, folder, progress, tally, signal } = run;
  const onPause = ({ message }: Error, milliseconds: number) =>
    progress.note(`${message}; trying again in ${Math.ceil(milliseconds / 1000)} s`);
  const client = new Darkroom({
    baseUrl: target.url,
    apiKey: target.key,
    signal,
    retries: Infinity,
    patienceMs: options.patienceMs,
    onRetry: onPause,
  });
  const quota = await checkAccess(client, target);
  const journal = await openJournal(run.statePath);
  try {
    const { files, unreadable, skipped } = await walkFolder(folder, signal);
    run.onWalked(files.length + unreadable.length, skipped);
    for (const { path, ...failure } of unreadable) tally.failed(path, failure);
    const hashed = await hashAll(run, journal, files);
    const unsent = await withoutPresent(client, journal, tally, hashed);
    await sendAll(run, { client, journal, quota, onPause }, unsent);
    if (options.wait) await waitForAll(run, client, journal);
  } finally {
    await journal.close();
  }
}

/** @throws UsageError if it is not a readable folder */
export function findFolder(given: string, from: string): string {
  try {
    const folder = realpathSync(resolve(from, given));
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    throw new UsageError(`${given}: ${readFailure(error).message}. Choose another folder.`, {
      cause: error,
    });
  }
  throw new UsageError(`${given} is a file. Give the folder that contains it.`);
}

/** Checks that the API is reachable and accepts the key; returns its limits. */
async function checkAccess(client: Darkroom, { url }: ApiTarget): Promise<Quota> {
  try {
    const answer = await client.send('GET', '/files/quota-check?file_count=1', {
      // Fail at once if the API cannot be reached at the start.
      repeatable: (error) => error instanceof ApiError && isRetryable(error),
    });
    if (!answer.headers.get('content-type')?.includes('json')) {
      throw new ApiError('NOT_AN_API', 'the server is not a Darkroom API', answer);
    }
    return (await answer.json()) as Quota;
  } catch (error) {
    if (error instanceof ConnectionError) {
      throw new UsageError(`${error.message}. Is the API running? Start it with npm start.`, {
        cause: error,
      });
    }
    if (!(error instanceof ApiError)) throw error;
    const what =
      error.status === 401
        ? `${url} does not accept the API key: set another with --key or DARKROOM_KEY.`
        : `${url} refused the request: ${error.message} (${error.code}).`;
    throw new UsageError(what, { cause: error });
  }
}

async function openJournal(path: string): Promise<Journal> {
  try {
    return await Journal.at(path);
  } catch (error) {
    const why = isErrno(error, 'EACCES', 'EROFS', 'EPERM') ? 'no write permission' : String(error);
    throw new UsageError(`${path}: ${why}. Choose another file with --state.`, { cause: error });
  }
}

async function hashAll(
  { progress, tally, signal }: IngestRun,
  journal: Journal,
  files: readonly LocalFile[],
): Promise<HashedFile[]> {
  const hashes = new Map<LocalFile, string>();
  let done = 0;
  progress.begin('Reading', files.length);
  await eachOf(files, HASHED_AT_ONCE, async (file) => {
    signal.throwIfAborted();
    try {
      const known = journal.hashOf(file);
      const sha256 = known ?? (await hashFile(file.absolute, signal));
      hashes.set(file, sha256);
      if (known === undefined) await journal.noteHash(file, sha256);
    } catch (error) {
      signal.throwIfAborted();
      tally.failed(file.path, readFailure(error));
    }
    done += 1;
    progress.show(done);
  });
  progress.end();
  return files.flatMap((file) => {
    const sha256 = hashes.get(file);
    return sha256 === undefined ? [] : [{ ...file, sha256 }];
  });
}

/** Returns one file for each content that the API does not have. */
async function withoutPresent(
  client: Darkroom,
  journal: Journal,
  tally: Tally,
  files: readonly HashedFile[],
): Promise<HashedFile[]> {
  const byContent = Map.groupBy(files, ({ sha256 }) => sha256);
  for (const twins of byContent.values()) tally.share(twins);
  const present = await findPresent(client, [...byContent.keys()]);
  await resumeEarlierRuns(journal, present);
  const firsts = [...byContent.values()].flatMap(([first]) => (first ? [first] : []));
  for (const { path, sha256 } of firsts) if (present.has(sha256)) tally.present(path);
  return firsts.filter(({ sha256 }) => !present.has(sha256));
}

/**
 * Transfers that an earlier run did not finish: files that arrived may still be processing, the rest are sent again.
 */
async function resumeEarlierRuns(journal: Journal, present: ReadonlyMap<string, string>): Promise<void> {
  for (const entry of journal.open.values()) {
    if (entry.type !== 'sending') continue;
    const arrived = entry.files.flatMap(({ path, sha256 }) => {
      const id = present.get(sha256);
      return id === undefined ? [] : [{ type: 'file' as const, key: id, id, path }];
    });
    await journal.append(...arrived, { type: 'closed', key: entry.key });
  }
}

async function sendAll(
  run: IngestRun,
  { client, journal, quota, onPause }: Pick<Sending, 'client' | 'journal' | 'onPause'> & { quota: Quota },
  files: HashedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const { options, progress, tally, signal } = run;
  if (options.describe) await checkCredits(client, progress, files.length);
  const all = humanBytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const meter = createMeter((done, bytes) => progress.show(done, `${humanBytes(bytes)} of ${all}`));
  const { tags, describe, patienceMs, directOverBytes, wait } = options;
  const sending: Sending = {
    client,
    journal,
    tally,
    meter,
    tags,
    describe,
    patienceMs,
    signal,
    onPause,
  };
  const { batches, directs } = planTransfers(files, {
    batchFiles: quota.max_batch_size,
    batchBytes: BATCH_BYTES,
    directOverBytes,
  });
  const transfers = [
    ...batches.map((batch) => () => sendBatch(sending, batch)),
    ...directs.map((file) => () => sendDirect(sending, file, wait)),
  ];
  const atOnce = Math.max(1, Math.min(options.concurrency, quota.max_concurrent_uploads));
  progress.begin('Sending', files.length);
  await eachOf(transfers, atOnce, (transfer) => transfer());
  progress.end();
}

/** A shortfall is not an error: the available credits are used up, and a later run sends the rest. */
async function checkCredits({ api }: Darkroom, progress: Progress, files: number): Promise<void> {
  const { data } = await api.GET('/files/quota-check', { params: { query: { file_count: files } } });
  if (data.available === 0)
    throw new UsageError(`${data.message}. Run the command again when credits are available.`);
  if (!data.can_proceed)
    progress.note(`${data.message}; run the command again for the rest when credits are available`);
}

async function waitForAll(run: IngestRun, client: Darkroom, journal: Journal): Promise<void> {
  const { total } = openWork(journal);
  if (total === 0) return;
  const { progress, tally, signal } = run;
  progress.begin('Processing', total);
  await waitUntilProcessed({ client, journal, tally, signal, onProgress: (files) => progress.show(files) });
  progress.end();
}
