import type { Data } from './api.ts';
import { ApiError, DarkroomError } from './errors.ts';
import { bodyOf, encodeForm } from './multipart.ts';
import { nodeModule, type Content } from './sources.ts';
import { isRetryable, type Retryable, type Transport } from './transport.ts';
import {
  formFields,
  SLOWEST,
  type Uploaded,
  type UploadOptions,
  type UploadOutcome,
} from './upload-fields.ts';

/** The most that the API takes for one file. */
const MOST_BYTES = 100 * 1024 * 1024;
/** Credits come back with the next month, so none of the files need be tried again. */
const NO_CREDITS = 'QUOTA_EXHAUSTED';

export type BatchAnswer = Data<'/files/upload/batch', 'post'>;

/** @throws ApiError, ConnectionError, the reason of the signal, and the error of a file that cannot be read */
export async function uploadStreamed(
  transport: Transport,
  content: Content,
  options: UploadOptions,
): Promise<Uploaded> {
  const answer = await sendForm<Data<'/files/upload', 'post'>>(transport, '/files/upload', {
    contents: [{ ...content, field: 'file', contentType: options.contentType }],
    options,
  });
  return { file_id: answer.file_id, skipped: answer.skipped };
}

/**
 * Sends files in one request. Those that the API did not take are among the `rejections`.
 *
 * @throws as `uploadStreamed`
 */
export function uploadBatch(
  transport: Transport,
  contents: readonly Content[],
  options: UploadOptions,
): Promise<BatchAnswer> {
  return sendForm<BatchAnswer>(transport, '/files/upload/batch', {
    contents: contents.map((content) => ({ ...content, field: 'files' })),
    options,
  });
}

/** A file of a list, opened. */
export type Opened = Pick<UploadOutcome, 'index' | 'source'> & { content: Content };

/** Sends up to five files in one request, so that the answer has the id of each. */
export async function uploadFew(
  transport: Transport,
  files: readonly Opened[],
  options: UploadOptions,
): Promise<UploadOutcome[]> {
  const ends = new Map<number, Pick<UploadOutcome, 'uploaded' | 'error'>>();
  let left = [...files];
  for (let round = 0; left.length > 0; round += 1) {
    const again: Opened[] = [];
    try {
      const contents = left.map(({ content }) => content);
      const answer = await uploadBatch(transport, contents, options);
      const rejections = new Map(answer.rejections.map((rejection) => [rejection.index, rejection]));
      for (const [at, file] of left.entries()) {
        const rejection = rejections.get(at);
        const { file_id: id, skipped = false } = answer.immediate_results[at] ?? {};
        if (!rejection && id) ends.set(file.index, { uploaded: { file_id: id, skipped } });
        else if (rejection?.retryable && rejection.code !== NO_CREDITS && round < 2) again.push(file);
        else ends.set(file.index, { error: refusal(rejection) });
      }
    } catch (error) {
      if (!(error instanceof DarkroomError)) throw error;
      for (const { index } of left) ends.set(index, { error });
    }
    left = again;
  }
  return files.map(({ index, source, content: { filename } }) => {
    return { index, source, filename, ...ends.get(index) } as UploadOutcome;
  });
}

function refusal(rejection?: { code: string; reason: string }): ApiError {
  const { code, reason } = rejection ?? { code: 'NOT_STORED', reason: 'the API answered without a file' };
  return new ApiError(code, reason, { status: 201 });
}

type FormPart = Content & { field: string; contentType?: string | undefined };

async function sendForm<T>(
  transport: Transport,
  path: string,
  { contents, options }: { contents: readonly FormPart[]; options: UploadOptions },
): Promise<T> {
  const { onProgress, signal, retries, onRetry, skip_duplicates: skip } = options;
  const atHand = contents.every(({ blob }) => blob);
  const totalBytes = contents.reduce((sum, { blob }) => sum + (blob?.size ?? MOST_BYTES), 0);
  const total = atHand ? totalBytes : undefined;
  const report = (sent: number) =>
    onProgress?.({ sentBytes: Math.min(sent, total ?? sent), totalBytes: total });
  let mayHaveArrived = false;
  const repeatable: Retryable = (error) => {
    if (!atHand || !isRetryable(error, skip !== false)) return false;
    mayHaveArrived ||= !isRetryable(error, false);
    return true;
  };
  const response = await transport.send(
    () => {
      const files = contents.map(({ field, filename, blob, stream, contentType }) => ({
        field,
        filename,
        content: blob ? typed(blob, contentType) : stream,
      }));
      const form = encodeForm(formFields(options, mayHaveArrived), files);
      let sent = 0;
      // Browsers cannot send streams to every server.
      const count =
        onProgress && nodeModule('node:fs') ? (bytes: number) => report((sent += bytes)) : undefined;
      const headers = { 'Content-Type': form.contentType };
      return transport.request('POST', path, { body: bodyOf(form, count), headers });
    },
    {
      signal,
      retries,
      onRetry,
      timeoutMs: transport.timeoutMs + Math.ceil(totalBytes / SLOWEST) * 1000,
      repeatable,
    },
  );
  const answer = (await response.json()) as T;
  if (total !== undefined) report(total);
  return answer;
}

const typed = (blob: Blob, type?: string) => (type ? blob.slice(0, blob.size, type) : blob);
