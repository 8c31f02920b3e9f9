import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sniffContentType } from '../../adapters/content-sniffer/content-sniffer.ts';
import { MAGIC_BYTES } from '../../domain/media.ts';
import { ApiProblem } from '../../client/api-problem.ts';
import type { HashedFile } from './plan-transfers.ts';
import { putToStore } from '../../client/put-to-store.ts';
import { sendParts, type PartUrl, localFailure, type Sending } from './sending.ts';

const WHERE = 'direct upload';
const MULTIPART_OVER_BYTES = 64 * 1024 * 1024;
/** Uploads of the same file within a day that ended without a file; each has used up one Idempotency-Key. */
const MOST_ATTEMPTS = 50;
/** How often the bytes of one upload are sent. */
const MOST_ROUNDS = 3;
const VERIFYING_POLL_MS = 2000;
/** The upload has ended without a file, which needs a new one. */
const ENDED = new Set(['UPLOAD_ABORTED', 'UPLOAD_EXPIRED', 'UPLOAD_FAILED', 'NOT_FOUND']);
/** The upload is open and needs all or some of its bytes again. */
const WANTS_BYTES = new Set(['HASH_MISMATCH', 'SIZE_MISMATCH', 'PARTS_MISSING', 'NOT_UPLOADED']);

interface Upload {
  upload_id: string;
  upload_mode: 'single_shot' | 'multipart';
  presigned_url?: string;
  headers?: Record<string, string>;
  part_urls?: PartUrl[];
  part_size_bytes?: number;
}
interface Intent {
  status: 'PENDING' | 'UPLOADED' | 'COMPLETED' | 'FAILED';
  file_id: string | null;
}

/**
 * Sends one file directly to the object store. The Idempotency-Key is derived from its content, so that a run after an
 * interruption resumes the same upload.
 *
 * @param wait whether to wait until the stored bytes are verified
 * @throws ApiLost, and the reason of the signal
 */
export async function sendDirect(sending: Sending, file: HashedFile, wait: boolean): Promise<void> {
  const { journal, tally, meter } = sending;
  const failure = sending.exhausted ?? (await localFailure(file));
  if (failure) {
    tally.failed(file.path, failure);
    return meter.settle(file);
  }
  const key = randomUUID();
  await journal.append({ type: 'sending', key, files: [{ path: file.path, sha256: file.sha256 }] });
  try {
    const id = await uploadFile(sending, file, wait);
    await journal.append({ type: 'file', key: id, id, path: file.path });
    tally.sent(file);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === 401 || error.status === 403) throw error;
    const problem = { where: WHERE, code: error.code, message: error.message };
    if (error.code === 'QUOTA_EXHAUSTED') sending.exhausted = problem;
    tally.failed(file.path, (await localFailure(file)) ?? problem);
  }
  meter.settle(file);
  await journal.append({ type: 'closed', key });
}

/** Returns the file's id. */
async function uploadFile(sending: Sending, file: HashedFile, wait: boolean): Promise<string> {
  const body = await announcement(file, sending);
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16);
  for (let attempt = 1; ; attempt += 1) {
    const idempotencyKey = `ingest-${file.sha256}-${bodyHash}-${attempt}`;
    try {
      const { body: upload, headers } = await sending.api.call<Upload>('POST', '/files/direct-uploads', {
        body,
        headers: { 'Idempotency-Key': idempotencyKey },
      });
      const replayed = headers.get('idempotency-replayed') === 'true';
      const done = replayed ? await replayedFileId(sending, upload.upload_id) : undefined;
      return done ?? (await sendAndComplete(sending, file, upload, wait));
    } catch (error) {
      const isOver = error instanceof ApiProblem && ENDED.has(error.code);
      if (!isOver || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function announcement(file: HashedFile, { tags, describe }: Sending) {
  const head = (await openAsBlob(file.absolute)).slice(0, MAGIC_BYTES);
  const type = await sniffContentType(new Uint8Array(await head.arrayBuffer()), { filename: file.absolute });
  return {
    filename: basename(file.path),
    content_type: type ?? 'application/octet-stream',
    size_bytes: file.sizeBytes,
    claimed_file_hash: file.sha256,
    skip_duplicates: true,
    auto_describe: describe,
    ...(file.sizeBytes > MULTIPART_OVER_BYTES && { upload_mode: 'multipart' }),
    ...(tags.length > 0 && { tags }),
  };
}

/**
 * The file that resulted from an upload of an earlier run.
 *
 * @returns undefined while the upload is open
 * @throws ApiProblem one of ENDED if the upload ended without a file
 */
async function replayedFileId({ api }: Sending, uploadId: string): Promise<string | undefined> {
  const { body: intent } = await api.call<Intent>('GET', `/files/direct-uploads/${uploadId}`);
  if (intent.status === 'FAILED') throw new ApiProblem(409, 'UPLOAD_FAILED', 'the upload has failed');
  if (intent.file_id === null) return undefined;
  // 404 if it is in the trash by now.
  await api.call('GET', `/files/${intent.file_id}`);
  return intent.file_id;
}

async function sendAndComplete(
  sending: Sending,
  file: HashedFile,
  upload: Upload,
  wait: boolean,
): Promise<string> {
  const { api, signal } = sending;
  const path = `/files/direct-uploads/${upload.upload_id}`;
  let missing: number[] | undefined;
  for (let round = 1; ; round += 1) {
    const transfer = sending.meter.begin();
    try {
      await sendBytes(sending, file, upload, { missing, onSent: transfer.add });
      for (;;) {
        const { body } = await api.call<{ file_id: string }>('POST', `${path}/complete`, { body: {} });
        if (!wait) return body.file_id;
        const { status, file_id: id } = (await api.call<Intent>('GET', path)).body;
        if (status === 'COMPLETED' && id !== null) return id;
        // Completing again returns the outcome of the verification.
        await delay(VERIFYING_POLL_MS, undefined, { signal });
      }
    } catch (error) {
      const wantsBytes = error instanceof ApiProblem && WANTS_BYTES.has(error.code);
      if (!wantsBytes || round === MOST_ROUNDS || (await localFailure(file))) throw error;
      // PARTS_MISSING names the parts; otherwise all are suspect.
      missing = error.code === 'PARTS_MISSING' ? partsIn(error.pointers) : allParts(upload);
    } finally {
      transfer.end();
    }
  }
}

async function sendBytes(
  sending: Sending,
  file: HashedFile,
  upload: Upload,
  which: { missing: number[] | undefined; onSent: (bytes: number) => void },
): Promise<void> {
  const { part_urls: urls, part_size_bytes: partSizeBytes, presigned_url: url, headers = {} } = upload;
  if (urls && partSizeBytes) {
    const target = { uploadId: upload.upload_id, urls, partSizeBytes };
    return sendParts(sending, file, target, which);
  }
  const bytes = await openAsBlob(file.absolute);
  await putToStore(sending, { fresh: async () => url ?? '', bytes, headers });
  which.onSent(file.sizeBytes);
}

const partsIn = (pointers: string[]) =>
  pointers.map((pointer) => Number(pointer.split('/').at(-1))).filter((number) => number > 0);
const allParts = ({ part_urls: urls = [] }: Upload) => urls.map(({ part_number: number }) => number);
