import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isRetryable, pauseMs, type ConnectionError } from '../../sdk/src/index.ts';
import type { HashedFile } from './plan-transfers.ts';
import { endsRun } from './send-direct.ts';
import { findPresent, localFailure, type Sending } from './sending.ts';

const WHERE = 'upload';

/**
 * Sends files in one request and resends those that did not arrive, until each has arrived or failed. When a response
 * is lost, the files that arrived are read from the API; `skip_duplicates` covers files that arrive after that check.
 *
 * @throws ApiError, ConnectionError, and the reason of the signal, which end the run
 */
export async function sendBatch(sending: Sending, files: readonly HashedFile[]): Promise<void> {
  const { journal, tally, patienceMs, signal, onPause } = sending;
  const key = randomUUID();
  await journal.append({ type: 'sending', key, files: files.map(({ path, sha256 }) => ({ path, sha256 })) });
  let rest = [...files];
  let arrivedAt = Date.now();
  for (let failures = 0; ;) {
    rest = await sendable(sending, rest);
    if (rest.length === 0) break;
    const before = rest.length;
    let trouble: ApiError | ConnectionError;
    try {
      rest = await sendOnce(sending, rest);
      const why = 'the object store behind the API cannot be reached';
      trouble = new ApiError('SERVICE_UNAVAILABLE', why, { status: 503 });
    } catch (error) {
      if (!isRetryable(error)) {
        // A file that changed while it was sent fails alone.
        rest = await sendable(sending, rest);
        if (rest.length < before) continue;
        if (!(error instanceof ApiError) || endsRun(error)) throw error;
        for (const { path } of rest)
          tally.failed(path, { where: WHERE, code: error.code, message: error.message });
        break;
      }
      trouble = error as ApiError | ConnectionError;
    }
    if (rest.length < before) [failures, arrivedAt] = [0, Date.now()];
    if (rest.length === 0) break;
    failures += 1;
    if (Date.now() - arrivedAt > patienceMs) {
      const { code, message } = trouble;
      for (const { path } of rest) tally.failed(path, { where: WHERE, code, message });
      break;
    }
    const asked = trouble instanceof ApiError ? trouble.retryAfterMs : 0;
    if (asked > patienceMs) throw trouble;
    const pause = pauseMs(failures, asked);
    onPause(trouble, pause);
    await delay(pause, undefined, { signal });
    rest = await withoutArrived(sending, rest);
  }
  await journal.append({ type: 'closed', key });
}

/** Sends one request. Returns the files to retry. */
async function sendOnce(sending: Sending, files: HashedFile[]): Promise<HashedFile[]> {
  const { client, journal, meter, tally, tags, describe } = sending;
  const transfer = meter.begin();
  let sent = 0;
  const sources = files.map(({ absolute }) => absolute);
  const answer = await client
    .uploadBatch(sources, {
      skip_duplicates: true,
      auto_describe: describe,
      // No automatic retry: first the files that arrived are read from the API.
      retries: 0,
      onProgress({ sentBytes }) {
        transfer.add(sentBytes - sent);
        sent = sentBytes;
      },
      ...(tags.length > 0 && { tags }),
    })
    .finally(() => transfer.end());
  const rejections = new Map(answer.rejections.map((rejection) => [rejection.index, rejection]));
  if (rejections.size < files.length) {
    const { session_id: id } = answer;
    const paths = files.map(({ path }) => path);
    await journal.append({ type: 'session', key: id, id, paths, rejected: rejections.size });
  }
  const again: HashedFile[] = [];
  for (const [index, file] of files.entries()) {
    const rejection = rejections.get(index);
    if (!rejection) {
      tally.sent(file);
      meter.settle(file);
      continue;
    }
    const failure = { where: WHERE, code: rejection.code, message: rejection.reason };
    if (rejection.code === 'QUOTA_EXHAUSTED') sending.exhausted = failure;
    if (rejection.retryable && rejection.code !== 'QUOTA_EXHAUSTED') again.push(file);
    else {
      tally.failed(file.path, failure);
      meter.settle(file);
    }
  }
  return again;
}

/** Filters out files that can no longer be sent, and records them as failed. */
async function sendable(sending: Sending, files: HashedFile[]): Promise<HashedFile[]> {
  const left: HashedFile[] = [];
  for (const file of files) {
    const failure = sending.exhausted ?? (await localFailure(file));
    if (failure) {
      sending.tally.failed(file.path, failure);
      sending.meter.settle(file);
    } else left.push(file);
  }
  return left;
}

/** Filters out files that arrived although the request failed. */
async function withoutArrived(sending: Sending, files: HashedFile[]): Promise<HashedFile[]> {
  const present = await findPresent(
    sending.client,
    files.map(({ sha256 }) => sha256),
  );
  for (const file of files) {
    const id = present.get(file.sha256);
    if (id === undefined) continue;
    await sending.journal.append({ type: 'file', key: id, id, path: file.path });
    sending.tally.sent(file);
    sending.meter.settle(file);
  }
  return files.filter(({ sha256 }) => !present.has(sha256));
}
