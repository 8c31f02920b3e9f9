import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { ApiError, isRetryable } from '../../sdk/src/index.ts';
import type { HashedFile } from './plan-transfers.ts';
import { localFailure, type Sending } from './sending.ts';

const WHERE = 'direct upload';

/**
 * Sends one file directly to the object store. The client derives the Idempotency-Key from its content, so that a run
 * after an interruption resumes the same upload.
 *
 * @param wait whether to wait until the stored bytes are verified
 * @throws ApiError, ConnectionError, and the reason of the signal, which end the run
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
  const transfer = meter.begin();
  try {
    const id = await uploadFile(sending, file, { wait, onSent: transfer.add });
    await journal.append({ type: 'file', key: id, id, path: file.path });
    tally.sent(file);
  } catch (error) {
    const changed = await localFailure(file);
    if (!changed && (!(error instanceof ApiError) || endsRun(error))) throw error;
    const { code, message } = error as ApiError;
    const problem = { where: WHERE, code, message };
    if (code === 'QUOTA_EXHAUSTED') sending.exhausted = problem;
    tally.failed(file.path, changed ?? problem);
  } finally {
    transfer.end();
  }
  meter.settle(file);
  await journal.append({ type: 'closed', key });
}

/** Whether an error affects all other files too: the key is refused, or the API was unavailable for too long. */
export function endsRun(error: ApiError): boolean {
  return error.status === 401 || error.status === 403 || isRetryable(error);
}

/** Returns the file's id. */
async function uploadFile(
  { client, tags, describe }: Sending,
  file: HashedFile,
  { wait, onSent }: { wait: boolean; onSent: (bytes: number) => void },
): Promise<string> {
  let sent = 0;
  const uploaded = await client.upload(file.absolute, {
    filename: basename(file.path),
    sha256: file.sha256,
    skip_duplicates: true,
    auto_describe: describe,
    directOverBytes: 0,
    verified: wait,
    // No time limit: the user can interrupt the command.
    verificationMs: Infinity,
    onProgress({ sentBytes }) {
      onSent(sentBytes - sent);
      sent = sentBytes;
    },
    ...(tags.length > 0 && { tags }),
  });
  return uploaded.file_id;
}
