/** The client. The file is long because it is one class, most of it docstrings. */
import { createApi, type Api, type Body, type Data, type Query } from './api.ts';
import { ApiError } from './errors.ts';
import { followEvents, type LiveEvent } from './events.ts';
import { ask, askStreaming, type Answer, type AskEvent, type AskOptions } from './ask.ts';
import {
  extract,
  type ExtractOptions,
  type Extracted,
  type ExtractSource,
  type JsonSchema,
  type StandardSchema,
} from './extract.ts';
import { paginate, type Entry, type ListOptions, type ListPath } from './paginate.ts';
import { nodeModule, openSource, type Content, type UploadSource } from './sources.ts';
import { Transport, type Retryable, type SendOptions, type TransportOptions } from './transport.ts';
import { resumeDirect, uploadDirect, type DirectOptions, type ResumeOptions } from './upload-direct.ts';
import { isDirectOnly, type Uploaded, type UploadOptions, type UploadOutcome } from './upload-fields.ts';
import { uploadBatch, uploadStreamed, type BatchAnswer } from './upload-form.ts';
import { uploadMany, type ManyOptions } from './upload-many.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

const MIB = 1024 * 1024;

export type FileDetail = Data<'/files/{file_id}', 'get'>;
export type ExportRecord = Data<'/data/export/{export_id}', 'get'>;
export type LinkAnswer = Data<'/files/links', 'post'>;
/** A link of `addLinks` with its own title and tags. */
export type NewLink = Body<'/files/links/batch'>['links'][number];
export type SearchAnswer = Data<'/files/search', 'post'>;
export type SimilarImage = Data<'/files/{file_id}/similar', 'get'>['items'][number];
export type Variant = 'tiny_64' | 'small_256' | 'medium_750' | 'large_1024' | 'original';

/** A request that is not an operation of the OpenAPI document, or goes to another server. */
export interface RawRequest extends SendOptions {
  body?: NonNullable<RequestInit['body']>;
  headers?: Record<string, string>;
  repeatable?: boolean | Retryable;
}

/** A client of the Darkroom API. One file of more than 300 lines, since it is one class, whose methods are short. */
export class Darkroom {
  /** Every operation of the API, typed by the OpenAPI document. */
  readonly api: Api;
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
    this.api = createApi(this.#transport);
  }

  /**
   * Uploads a file: streamed through the API, or directly to the object store if it is a video or large. Lost requests
   * are retried; for that, streams are read to the end first, and those of more than 8 MiB are kept in a temporary file
   * (in browsers in memory). URLs are fetched by this program; with `addLink` the server fetches them.
   *
   * @throws ApiError, ConnectionError, the reason of the signal, and the error of a file that cannot be read
   */
  async upload(source: UploadSource, options: DirectOptions = {}): Promise<Uploaded> {
    const content = await openSource(source, options);
    try {
      return await this.#uploadAlone(content, options);
    } finally {
      await content.remove?.();
    }
  }

  /**
   * Goes on with a direct upload by its id, see `onUpload` of `upload` and `GET /files/direct-uploads`, also in another
   * program: only what the object store lacks is sent.
   *
   * @throws DarkroomError OTHER_FILE for a file that is not the announced one; otherwise as `upload`
   */
  async resumeUpload(uploadId: string, source: UploadSource, options: ResumeOptions = {}): Promise<Uploaded> {
    const content = await openSource(source, { signal: options.signal });
    try {
      return await resumeDirect(this.#parts, uploadId, content.blob, options);
    } finally {
      await content.remove?.();
    }
  }

  /**
   * Adds a web page, document or image by its URL, which the server fetches; `wait` waits for that.
   *
   * @throws as `wait`
   */
  async addLink(
    url: string,
    { signal, ...fields }: Omit<Body<'/files/links'>, 'url'> & { signal?: AbortSignal } = {},
  ): Promise<LinkAnswer> {
    return (await this.api.POST('/files/links', { body: { ...fields, url }, ...(signal && { signal }) }))
      .data;
  }

  /**
   * Adds several links in one request, up to `max_batch_size` of `GET /files/quota-check`. The response lists rejected
   * links in `rejections`; the others are in its upload session.
   *
   * @throws as `wait`
   */
  async addLinks(
    links: readonly (string | NewLink)[],
    { signal, ...fields }: Omit<Body<'/files/links/batch'>, 'links'> & { signal?: AbortSignal } = {},
  ): Promise<BatchAnswer> {
    const body = { ...fields, links: links.map((link) => (typeof link === 'string' ? { url: link } : link)) };
    return (await this.api.POST('/files/links/batch', { body, ...(signal && { signal }) })).data;
  }

  /**
   * Uploads many files; small files are sent several per request.
   *
   * @yields the outcome of each file as soon as it is known; a failed file does not stop the others
   * @throws the reason of the signal
   */
  uploadMany(
    sources: Iterable<UploadSource> | AsyncIterable<UploadSource>,
    options: ManyOptions = {},
  ): AsyncGenerator<UploadOutcome, void, undefined> {
    const alone = (content: Content) => this.#uploadAlone(content, options);
    return uploadMany(this.#transport, sources, { ...options, alone, mostStreamed: mostStreamed(options) });
  }

  /**
   * Uploads files in one request, up to `max_batch_size` of `GET /files/quota-check`. The response lists rejected files
   * in `rejections`; the others are in its upload session.
   *
   * @throws ApiError, ConnectionError, the reason of the signal, and the error of a file that cannot be read
   */
  async uploadBatch(sources: readonly UploadSource[], options: UploadOptions = {}): Promise<BatchAnswer> {
    const contents: Content[] = [];
    try {
      for (const source of sources) contents.push(await openSource(source, { signal: options.signal }));
      return await uploadBatch(this.#transport, contents, options);
    } finally {
      for (const content of contents) await content.remove?.();
    }
  }

  /**
   * Waits until the processing of a file has ended, and returns the file; `primary_status` is the outcome.
   *
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  wait(fileId: string, options: WaitOptions = {}): Promise<FileDetail> {
    const init = { params: { path: { file_id: fileId } }, ...(options.signal && { signal: options.signal }) };
    return waitUntil(
      this.#transport,
      {
        events: `/files/${encodeURIComponent(fileId)}/events`,
        read: async () => (await this.api.GET('/files/{file_id}', init)).data,
        ended: ({ primary_status: status }) => status !== 'pending' && status !== 'processing',
      },
      options,
    );
  }

  /**
   * Searches passages of documents by meaning and by words, best first, with their page numbers; with `media_types` also
   * images and videos, in `files`.
   *
   * @throws as `wait`
   */
  async search(
    query: string,
    { signal, ...filters }: Omit<Body<'/files/search'>, 'query'> & { signal?: AbortSignal } = {},
  ): Promise<SearchAnswer> {
    return (await this.api.POST('/files/search', { body: { query, ...filters }, ...(signal && { signal }) }))
      .data;
  }

  /**
   * Asks documents a question: an answer with citations, whose sentences say whether their quotes carry them.
   *
   * @throws as `wait`
   */
  ask(question: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.#parts, question, options);
  }

  /** Asks documents a question and yields the parts of the answer as they arrive. @throws as `wait` */
  askStreaming(question: string, options: AskOptions = {}): AsyncGenerator<AskEvent, void, undefined> {
    return askStreaming(this.#parts, question, options);
  }

  /** Images similar to an image, most similar first. @throws as `wait` */
  async similar(
    fileId: string,
    { signal, ...query }: NonNullable<Query<'/files/{file_id}/similar'>> & { signal?: AbortSignal } = {},
  ): Promise<SimilarImage[]> {
    const params = { path: { file_id: fileId }, query };
    return (await this.api.GET('/files/{file_id}/similar', { params, ...(signal && { signal }) })).data.items;
  }

  /**
   * Extracts the values of a schema from a file, by default with citations.
   *
   * @param schema a zod schema, which also types the result, or a JSON Schema
   * @throws ApiError; DarkroomError RESULT_MISMATCH; ConnectionError, the reason of the signal
   */
  extract<T>(
    source: ExtractSource,
    schema: StandardSchema<T>,
    options?: ExtractOptions,
  ): Promise<Extracted<T>>;
  extract<T = Record<string, unknown>>(
    source: ExtractSource,
    schema: JsonSchema,
    options?: ExtractOptions,
  ): Promise<Extracted<T>>;
  extract<T>(
    source: ExtractSource,
    schema: StandardSchema<T> | JsonSchema,
    options: ExtractOptions = {},
  ): Promise<Extracted<T>> {
    return extract(this.#parts, source, schema, options);
  }

  /**
   * The entries of a list; pages are requested as needed: `for await (const file of client.list('/files'))`.
   *
   * @throws as `wait`
   */
  list<P extends ListPath>(
    path: P,
    ...[options]: ListOptions<P> extends { path: object } ? [ListOptions<P>] : [ListOptions<P>?]
  ): AsyncGenerator<Entry<P>, void, undefined> {
    return paginate(this.api, path, options);
  }

  /** Exports a table of files and waits for it. @throws ApiError EXPORT_FAILED; otherwise as `wait` */
  async exportFiles(body: Body<'/files/export'>, options: WaitOptions = {}): Promise<ExportRecord> {
    const { data } = await this.api.POST('/files/export', {
      body,
      ...(options.signal && { signal: options.signal }),
    });
    return this.waitForExport(data.export_id, options);
  }

  /** Exports the history of descriptions and waits for it. @throws as `exportFiles` */
  async exportDescriptions(body: Body<'/data/export'>, options: WaitOptions = {}): Promise<ExportRecord> {
    const { data } = await this.api.POST('/data/export', {
      body,
      ...(options.signal && { signal: options.signal }),
    });
    return this.waitForExport(data.export_id, options);
  }

  /**
   * @returns the record of the completed export, whose `download_url` is valid for an hour. @throws as `exportFiles`
   */
  async waitForExport(exportId: string, options: WaitOptions = {}): Promise<ExportRecord> {
    const init = {
      params: { path: { export_id: exportId } },
      ...(options.signal && { signal: options.signal }),
    };
    const record = await waitUntil(
      this.#transport,
      {
        events: `/data/export/${encodeURIComponent(exportId)}/events`,
        read: async () => (await this.api.GET('/data/export/{export_id}', init)).data,
        ended: ({ status }) => status === 'completed' || status === 'failed',
      },
      options,
    );
    if (record.status === 'completed') return record;
    throw new ApiError('EXPORT_FAILED', record.error_message ?? 'the export failed', { status: 200 });
  }

  /** A response with the bytes of a file, or of a variant of an image. @throws as `wait` */
  async download(
    fileId: string,
    { variant, signal, ...options }: SendOptions & { variant?: Variant } = {},
  ): Promise<Response> {
    const path = `/files/${encodeURIComponent(fileId)}/${variant ? `variant/${variant}` : 'download'}`;
    const make = () => this.#transport.request('GET', path);
    return this.#transport.send(make, { ...options, signal, repeatable: true });
  }

  /** The live events of a channel until it ends, for example of `/files/sessions/{id}`. @throws as `wait` */
  events(path: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return followEvents(this.#transport, `${path}/events`, options);
  }

  async #uploadAlone(content: Content, options: DirectOptions): Promise<Uploaded> {
    const direct =
      content.blob.size > mostStreamed(options) || (await isDirectOnly(content, options.contentType));
    if (direct) return uploadDirect(this.#parts, content, options);
    const {
      sha256: _hash,
      upload_mode: _mode,
      part_size_bytes: _size,
      verified: _verified,
      verificationMs: _verificationMs,
      onUpload: _onUpload,
      ...common
    } = options;
    return uploadStreamed(this.#transport, content, common);
  }

  /**
   * Sends any request to a path of the API, or without the key to another server.
   *
   * @param init `repeatable`: whether to retry although the request may have taken effect
   * @throws ApiError for an error response; ConnectionError, the reason of the signal
   */
  send(
    method: string,
    path: string,
    { body, headers, repeatable = false, ...options }: RawRequest = {},
  ): Promise<Response> {
    const init = { ...(body !== undefined && { body }), ...(headers && { headers }) };
    return this.#transport.send(() => this.#transport.request(method, path, init), {
      ...options,
      repeatable,
    });
  }

  get #parts(): { api: Api; transport: Transport } {
    return { api: this.api, transport: this.#transport };
  }
}

/** Larger files go directly to the object store, unless it is the account's own bucket, which only the API reaches. */
function mostStreamed({ storage_target: target, directOverBytes }: UploadOptions): number {
  if (target === 'custom') return Infinity;
  // In browsers, direct uploads work only if the store allows the origin (CORS), so they are avoided.
  return directOverBytes ?? (nodeModule('node:fs') ? 32 * MIB : 100 * MIB);
}
