/** Direct uploads, new and resumed. The file is long because both share the attempts, the parts and the errors of one protocol. */
import type { Api, Data } from './api.ts';
import { ApiError, DarkroomError } from './errors.ts';
import { md5, sha256 } from './sha256.ts';
import { delay, isRetryable, pauseMs, type Transport } from './transport.ts';
import { contentTypeOf, fieldsOf, SLOWEST, type Uploaded, type UploadOptions } from './upload-fields.ts';

const MULTIPART_OVER_BYTES = 64 * 1024 * 1024;
const PARTS_AT_ONCE = 3;
/** Maximum number of ended uploads without a file for one content; each uses up one Idempotency-Key. */
const MOST_ATTEMPTS = 50;
/** Maximum number of times that the bytes, or one part of them, are sent. */
const MOST_ROUNDS = 3;
/** Few, because a 403 of the store is rarely temporary: the URL has expired or is invalid. */
const TRIES_WHEN_FORBIDDEN = 3;
const PARTS_A_PAGE = 1000;
const VERIFICATION_MS = 600_000;
/** The pauses between polls of the verification grow up to this attempt, to four seconds. */
const MOST_PAUSES = 4;
/** The upload has ended without a file, so a new one is needed. */
const ENDED = new Set(['UPLOAD_ABORTED', 'UPLOAD_EXPIRED', 'UPLOAD_FAILED', 'NOT_FOUND']);
/** The upload is open and some or all of its bytes are missing. */
const LACKS_BYTES = new Set(['PARTS_MISSING', 'NOT_UPLOADED']);
/** The upload is open and has different bytes, possibly from an interrupted program. */
const HAS_OTHERS = new Set(['HASH_MISMATCH', 'SIZE_MISMATCH']);

export interface DirectOptions extends UploadOptions {
  /** SHA-256 of the bytes in hexadecimal; computed by default. */
  sha256?: string | undefined;
  /** One PUT, or one per part; by default, files of more than 64 MiB are sent in parts. */
  upload_mode?: 'single_shot' | 'multipart' | undefined;
  /** Size of a part, at least 5 MiB; by default chosen by the API. */
  part_size_bytes?: number | undefined;
  /** Whether to wait until the stored bytes are verified; true by default. */
  verified?: boolean | undefined;
  /** Maximum wait for the verification in milliseconds; ten minutes by default. */
  verificationMs?: number | undefined;
  /** Called with the id of the upload before its bytes are sent, so that it can be aborted. */
  onUpload?: ((uploadId: string) => void) | undefined;
}

/** Options to go on with a direct upload. */
export type ResumeOptions = Pick<
  DirectOptions,
  'sha256' | 'verified' | 'verificationMs' | 'signal' | 'retries' | 'onRetry' | 'onProgress'
>;

type Created = Data<'/files/direct-uploads', 'post'>;
/** Without URLs if it was found by its id: each part then gets one when it is sent. */
type Multipart = Pick<
  Extract<Created, { upload_mode: 'multipart' }>,
  'upload_id' | 'upload_mode' | 'part_urls' | 'part_size_bytes' | 'total_parts'
>;
type Started = Multipart | Extract<Created, { upload_mode: 'single_shot' }>;
type Part = Data<'/files/direct-uploads/{upload_id}', 'get'>['parts'][number];
/** The ETag of a part in stores that hash it with MD5. */
const MD5 = /^[0-9a-f]{32}$/;

/**
 * Uploads a file directly to the object store with presigned URLs. With `skip_duplicates`, the Idempotency-Key is
 * derived from the content, so that a later run of an interrupted program resumes the same upload.
 *
 * @throws ApiError; DarkroomError STILL_VERIFYING; ConnectionError, the reason of the signal, and the error of a file
 *   that
 *   cannot be read
 */
export async function uploadDirect(
  target: { api: Api; transport: Transport },
  content: { filename: string; blob: Blob },
  options: DirectOptions,
): Promise<Uploaded> {
  const { api } = target;
  const { blob, filename } = content;
  const {
    sha256: known,
    verified: _verified,
    verificationMs: _verificationMs,
    onUpload,
    upload_mode: mode,
    part_size_bytes: partSize,
    ...common
  } = options;
  const { signal, retries, onRetry, skip_duplicates: skip } = common;
  const hash = known ?? (await sha256(blob, signal));
  const uploadMode = mode ?? (blob.size > MULTIPART_OVER_BYTES ? 'multipart' : undefined);
  const body = {
    ...fieldsOf(common),
    filename,
    content_type: await contentTypeOf(content, options.contentType),
    size_bytes: blob.size,
    claimed_file_hash: hash,
    ...(skip !== undefined && { skip_duplicates: skip }),
    ...(uploadMode && { upload_mode: uploadMode }),
    ...(uploadMode === 'multipart' && partSize !== undefined && { part_size_bytes: partSize }),
  };
  const key = skip ? await contentKey(JSON.stringify(body)) : crypto.randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const { data: upload, response } = await api.POST('/files/direct-uploads', {
      body,
      headers: { 'Idempotency-Key': `${key}-${attempt}` },
      retries,
      onRetry,
      signal,
    });
    onUpload?.(upload.upload_id);
    const resumed = response.headers.get('idempotency-replayed') === 'true';
    try {
      return await new DirectUpload(target, upload, blob, options).finish(resumed);
    } catch (error) {
      const isOver = error instanceof ApiError && ENDED.has(error.code);
      // Only a resumed upload may have ended earlier; the end of a new one is the outcome.
      if (!resumed || !isOver || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/**
 * Goes on with a direct upload that was created anywhere, by its id: only what the store lacks is sent.
 *
 * @throws DarkroomError OTHER_FILE for a file that is not the announced one; otherwise as uploadDirect
 */
export async function resumeDirect(
  target: { api: Api; transport: Transport },
  uploadId: string,
  blob: Blob,
  options: ResumeOptions,
): Promise<Uploaded> {
  const { signal, retries, onRetry } = options;
  const of = { params: { path: { upload_id: uploadId } }, signal, retries, onRetry };
  const { data: record } = await target.api.GET('/files/direct-uploads/{upload_id}', of);
  const { claimed_file_hash: claimed, size_bytes: size, part_size_bytes: partSize } = record;
  const isOther =
    blob.size !== size || (claimed !== null && (options.sha256 ?? (await sha256(blob, signal))) !== claimed);
  if (isOther) {
    const message = `the upload ${uploadId} is of another file, or the file has changed since`;
    throw new DarkroomError('OTHER_FILE', message);
  }
  const isOpen = record.status === 'PENDING' || record.status === 'UPLOADED';
  const started: Started =
    record.upload_mode === 'single_shot' && isOpen
      ? (await target.api.POST('/files/direct-uploads/{upload_id}/url', of)).data
      : {
          upload_id: uploadId,
          upload_mode: 'multipart',
          part_urls: [],
          part_size_bytes: partSize ?? size,
          total_parts: record.total_parts ?? 1,
        };
  return new DirectUpload(target, started, blob, options).finish(true);
}

async function contentKey(request: string): Promise<string> {
  return `upload-${await sha256(new Blob([request]))}`;
}

class DirectUpload {
  readonly #api: Api;
  readonly #transport: Transport;
  readonly #upload: Started;
  readonly #blob: Blob;
  readonly #options: ResumeOptions;
  /** Number of times that each part was sent; a single-shot upload is part 0. */
  readonly #rounds = new Map<number, number>();
  #sent = 0;

  constructor(
    { api, transport }: { api: Api; transport: Transport },
    upload: Started,
    blob: Blob,
    options: ResumeOptions,
  ) {
    [this.#api, this.#transport, this.#upload] = [api, transport, upload];
    [this.#blob, this.#options] = [blob, options];
  }

  /**
   * @param resumed whether the store may already have some of the bytes; then only the others are sent
   */
  async finish(resumed: boolean): Promise<Uploaded> {
    if (resumed) {
      const { status, file_id: id, error_message: reason } = await this.#record();
      if (status === 'FAILED')
        throw new ApiError('UPLOAD_FAILED', reason ?? 'the upload failed', { status: 409 });
      if (id !== null) return this.#existing(id);
      await this.#sendRest();
    } else await this.#send();
    for (;;) {
      try {
        return await this.#complete();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!LACKS_BYTES.has(error.code) && !(HAS_OTHERS.has(error.code) && !this.#sentAll)) throw error;
        const parts = error.errors.map(({ pointer }) => Number(pointer.split('/').at(-1)));
        await this.#send(
          error,
          error.code === 'PARTS_MISSING' ? parts.filter((part) => part > 0) : undefined,
        );
      }
    }
  }

  /** Whether this object has sent every part of the upload. */
  get #sentAll(): boolean {
    const upload = this.#upload;
    return this.#rounds.size === (upload.upload_mode === 'multipart' ? upload.total_parts : 1);
  }

  /**
   * Sends the parts that the store lacks, or has with other bytes as far as their ETag tells, and confirms those whose
   * confirmation was lost. The completion reports a missing single object.
   */
  async #sendRest(): Promise<void> {
    const upload = this.#upload;
    if (upload.upload_mode === 'single_shot') return;
    const rest: number[] = [];
    for (let after = 0, more = true; more;) {
      const { parts, has_more_parts: hasMore } = await this.#record({
        parts_after: after,
        parts_limit: PARTS_A_PAGE,
      });
      for (const part of parts) if (!(await this.#isThere(upload, part))) rest.push(part.part_number);
      after = parts.at(-1)?.part_number ?? after;
      more = hasMore;
    }
    if (rest.length > 0) await this.#send(undefined, rest);
  }

  async #isThere(upload: Multipart, { part_number: number, state, etag }: Part): Promise<boolean> {
    if (state === 'missing' || etag === null) return false;
    const hash = MD5.test(etag) ? await md5(this.#partOf(upload, number), this.#options.signal) : undefined;
    if (hash !== undefined && hash !== etag) return false;
    if (state === 'stored') {
      if (hash === undefined) return false;
      await this.#confirm(number, etag, this.#partOf(upload, number).size);
    }
    return true;
  }

  /** The file of a completed upload. @throws ApiError NOT_FOUND if it has been deleted since */
  async #existing(id: string): Promise<Uploaded> {
    const { signal, retries, onRetry } = this.#options;
    await this.#api.GET('/files/{file_id}', { params: { path: { file_id: id } }, signal, retries, onRetry });
    return { file_id: id, skipped: true };
  }

  async #complete(): Promise<Uploaded> {
    const { verified = true, verificationMs = VERIFICATION_MS, signal, retries, onRetry } = this.#options;
    const until = Date.now() + verificationMs;
    for (let asked = 1; ; asked += 1) {
      const { data } = await this.#api.POST('/files/direct-uploads/{upload_id}/complete', {
        params: this.#params(),
        body: {},
        signal,
        retries,
        onRetry,
      });
      const uploaded = { file_id: data.file_id, skipped: data.deduplicated };
      if (!verified) return uploaded;
      const { status, file_id: id } = await this.#record();
      if (status === 'COMPLETED' && id !== null) return { ...uploaded, file_id: id };
      const pause = pauseMs(Math.min(asked, MOST_PAUSES));
      if (Date.now() + pause > until) {
        const message = `the upload ${this.#upload.upload_id} is still being verified`;
        throw new DarkroomError('STILL_VERIFYING', message);
      }
      // The next completion returns the outcome of the verification.
      await delay(pause, signal);
    }
  }

  /**
   * Sends all parts, or the missing ones.
   *
   * @param why the error that reported them missing, which is thrown if they have been sent too often
   */
  async #send(why?: ApiError, numbers?: readonly number[]): Promise<void> {
    const upload = this.#upload;
    const all = upload.upload_mode === 'multipart' ? upload.total_parts : 0;
    const wanted = numbers ?? (all > 0 ? Array.from({ length: all }, (_, index) => index + 1) : [0]);
    for (const part of wanted) {
      const rounds = (this.#rounds.get(part) ?? 0) + 1;
      if (why && rounds > MOST_ROUNDS) throw why;
      this.#rounds.set(part, rounds);
    }
    if (!numbers) this.#sent = 0;
    if (upload.upload_mode === 'single_shot') {
      const { presigned_url: url, headers } = upload;
      await this.#put(async () => url, this.#blob, headers);
      return this.#report(this.#blob.size);
    }
    // The store has the others, of which an earlier program has sent some.
    if (numbers && this.#sent === 0) {
      const bytes = wanted.map((part) => this.#partOf(upload, part).size);
      this.#report(this.#blob.size - bytes.reduce((sum, size) => sum + size, 0));
    }
    const queue = [...wanted];
    const lane = async () => {
      for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
        try {
          // URLs of the creation may be those of an earlier multipart upload.
          await this.#sendPart(upload, part, why !== undefined || numbers !== undefined);
        } catch (error) {
          queue.length = 0;
          throw error;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, lane));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #partOf({ part_size_bytes: size }: Multipart, part: number): Blob {
    const from = (part - 1) * size;
    return this.#blob.slice(from, Math.min(from + size, this.#blob.size));
  }

  async #sendPart(upload: Multipart, part: number, again: boolean) {
    const { signal, retries, onRetry } = this.#options;
    const bytes = this.#partOf(upload, part);
    const known = upload.part_urls.find(({ part_number: number }) => number === part)?.url;
    const response = await this.#put(async (attempt) => {
      if (attempt === 0 && !again && known) return known;
      const { data } = await this.#api.POST('/files/direct-uploads/{upload_id}/parts/retry', {
        params: this.#params(),
        body: { part_number: part },
        signal,
        retries,
        onRetry,
      });
      return data.url;
    }, bytes);
    await this.#confirm(part, response.headers.get('etag') ?? '', bytes.size);
    this.#report(bytes.size);
  }

  async #confirm(part: number, etag: string, size: number): Promise<void> {
    const { signal, retries, onRetry } = this.#options;
    await this.#api.POST('/files/direct-uploads/{upload_id}/parts/confirm', {
      params: this.#params(),
      body: { part_number: part, etag, size_bytes: size },
      signal,
      retries,
      onRetry,
    });
  }

  /** @param fresh returns the URL for each attempt */
  #put(fresh: (attempt: number) => Promise<string>, bytes: Blob, headers?: Record<string, string>) {
    const { signal, retries, onRetry } = this.#options;
    return this.#transport.send(
      async (attempt) =>
        new Request(await fresh(attempt), { method: 'PUT', body: bytes, ...(headers && { headers }) }),
      {
        signal,
        retries,
        onRetry,
        timeoutMs: this.#transport.timeoutMs + Math.ceil(bytes.size / SLOWEST) * 1000,
        repeatable: (error, failures) => {
          if (!(error instanceof ApiError)) return true;
          if (error.status === 403) return failures < TRIES_WHEN_FORBIDDEN;
          return isRetryable(error) || error.status >= 500 || error.status === 408;
        },
      },
    );
  }

  /** @param query the page of its parts; none by default */
  async #record(query: { parts_after?: number; parts_limit: number } = { parts_limit: 0 }) {
    const { signal, retries, onRetry } = this.#options;
    return (
      await this.#api.GET('/files/direct-uploads/{upload_id}', {
        params: { ...this.#params(), query },
        signal,
        retries,
        onRetry,
      })
    ).data;
  }

  #params() {
    return { path: { upload_id: this.#upload.upload_id } };
  }

  #report(bytes: number): void {
    this.#sent += bytes;
    const totalBytes = this.#blob.size;
    this.#options.onProgress?.({ sentBytes: Math.min(this.#sent, totalBytes), totalBytes });
  }
}
