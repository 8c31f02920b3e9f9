import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { ApiProblem, isRetryable, type ConnectionLost } from '../../client/api-problem.ts';
import type { HashedFile } from './plan-transfers.ts';
import { findPresent, localFailure, type Sending } from './sending.ts';

const WHERE = 'upload';

interface BatchAnswer {
  session_id: string;
  rejections: { index: number; code: string; reason: string; retryable: boolean }[];
}

/**
 * Sends files in one request and resends those that did not arrive, until each has arrived or failed. When a response
 * is lost, the files that arrived are read from the API; `skip_duplicates` covers files that arrive after that check.
 *
 * @throws ApiLost, and the reason of the signal
 */
export async function sendBatch(sending: Sending, files: readonly HashedFile[]): Promise<void> {
  const { api, journal, tally, patienceMs } = sending;
  const key = randomUUID();
  await journal.append({ type: 'sending', key, files: files.map(({ path, sha256 }) => ({ path, sha256 })) });
  let rest = [...files];
  let arrivedAt = Date.now();
  for (let failures = 0; ;) {
    rest = await sendable(sending, rest);
    if (rest.length === 0) break;
    const before = rest.length;
    let trouble: ApiProblem | ConnectionLost;
    try {
      rest = await sendOnce(sending, rest);
      trouble = new ApiProblem(
        503,
        'SERVICE_UNAVAILABLE',
        'the object store behind the API cannot be reached',
      );
    } catch (error) {
      if (!isRetryable(error)) {
        if (!(error instanceof ApiProblem) || error.status === 401 || error.status === 403) throw error;
        for (const { path } of rest)
          tally.failed(path, { where: WHERE, code: error.code, message: error.message });
        break;
      }
      trouble = error;
    }
    if (rest.length < before) [failures, arrivedAt] = [0, Date.now()];
    if (rest.length === 0) break;
    failures += 1;
    if (Date.now() - arrivedAt > patienceMs) {
      const code = trouble instanceof ApiProblem ? trouble.code : 'CONNECTION_LOST';
      for (const { path } of rest) tally.failed(path, { where: WHERE, code, message: trouble.message });
      break;
    }
    await api.pause(trouble, failures);
    rest = await withoutArrived(sending, rest);
  }
  await journal.append({ type: 'closed', key });
}

/** Sends one request. Returns the files to retry. */
async function sendOnce(sending: Sending, files: HashedFile[]): Promise<HashedFile[]> {
  const { api, journal, meter, tally, tags, describe } = sending;
  const form = new FormData();
  // Before the files, so that each is processed as soon as it has arrived.
  form.append('skip_duplicates', 'true');
  form.append('auto_describe', String(describe));
  if (tags.length > 0) form.append('tags', tags.join(','));
  for (const { absolute, path } of files) form.append('files', await openAsBlob(absolute), basename(path));
  const transfer = meter.begin();
  let answer: BatchAnswer;
  try {
    answer = (await api.stream<BatchAnswer>('/files/upload/batch', form, transfer.add)).body;
  } finally {
    transfer.end();
  }
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
    sending.api,
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
