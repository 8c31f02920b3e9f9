import type { Data } from './api.ts';
import { ConnectionError } from './errors.ts';
import { bodyOf, encodeForm } from './multipart.ts';
import { nodeModule, type Content } from './sources.ts';
import { isRetryable, type Retryable, type Transport } from './transport.ts';
import { formFields, SLOWEST, type Uploaded, type UploadOptions } from './upload-fields.ts';

/** Longer forms are also watched for stalls, because their timeout is long. */
const WATCHED_BYTES = 1024 * 1024;

export type BatchAnswer = Data<'/files/upload/batch', 'post'>;

/**
 * Uploads a file by streaming it through the API.
 *
 * @throws ApiError, ConnectionError, the reason of the signal, and the error of a file that cannot be read
 */
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
 * Uploads files in one request. The response lists rejected files in `rejections`.
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
  const totalBytes = contents.reduce((sum, { blob }) => sum + blob.size, 0);
  let reported = -1;
  const report = (sent: number) => {
    // The form is longer than its files, and retries start from 0, so the progress is capped and never decreases.
    const sentBytes = Math.min(sent, totalBytes);
    if (sentBytes > reported) onProgress?.({ sentBytes, totalBytes });
    reported = Math.max(reported, sentBytes);
  };
  let mayHaveArrived = false;
  const repeatable: Retryable = (error) => {
    if (!isRetryable(error, skip !== false)) return false;
    mayHaveArrived ||= !isRetryable(error, false);
    return true;
  };
  // Browsers support streams as request bodies only partly, for example not over HTTP/1.1.
  const isWatched = nodeModule('node:fs') && (onProgress || totalBytes > WATCHED_BYTES);
  const idle = new IdleTimer(transport.timeoutMs);
  const make = () => {
    const files = contents.map(({ field, filename, blob, contentType }) => ({
      field,
      filename,
      content: typed(blob, contentType),
    }));
    const form = encodeForm(formFields(options, mayHaveArrived), files);
    const headers = { 'Content-Type': form.contentType };
    if (!isWatched) return transport.request('POST', path, { body: bodyOf(form), headers });
    let sent = 0;
    const count = (bytes: number) => {
      idle.renew();
      report((sent += bytes));
    };
    return transport.request('POST', path, { body: bodyOf(form, count), headers, signal: idle.begin() });
  };
  const response = await transport
    .send(make, {
      signal,
      retries,
      onRetry,
      timeoutMs: transport.timeoutMs + Math.ceil(totalBytes / SLOWEST) * 1000,
      repeatable,
    })
    .finally(() => idle.end());
  const answer = (await response.json()) as T;
  report(totalBytes);
  return answer;
}

/** Aborts an attempt if no data is sent and no response arrives for a time. */
class IdleTimer {
  readonly #milliseconds: number;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(): AbortSignal {
    this.#abort = new AbortController();
    this.renew();
    return this.#abort.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    const message = `no data was sent and no response arrived for ${this.#milliseconds} ms`;
    this.#timer = setTimeout(
      () => this.#abort.abort(new ConnectionError('TIMEOUT', message)),
      this.#milliseconds,
    );
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

const typed = (blob: Blob, type?: string) => (type ? blob.slice(0, blob.size, type) : blob);
