import type { Data } from './api.ts';
import { bodyOf, encodeForm } from './multipart.ts';
import { nodeModule, type Content } from './sources.ts';
import { isRetryable, type Retryable, type Transport } from './transport.ts';
import { formFields, SLOWEST, type Uploaded, type UploadOptions } from './upload-fields.ts';

/** The most that the API takes for one file. */
const MOST_BYTES = 100 * 1024 * 1024;

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
  let reported = -1;
  const report = (sent: number) => {
    // The form is longer than its files, and may be sent again.
    const sentBytes = Math.min(sent, total ?? sent);
    if (sentBytes > reported) onProgress?.({ sentBytes, totalBytes: total });
    reported = Math.max(reported, sentBytes);
  };
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
