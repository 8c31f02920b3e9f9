import { createApi, type Api, type Body, type Data, type Query } from './api.ts';
import { ApiError } from './errors.ts';
import { followEvents, type LiveEvent } from './events.ts';
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
import { uploadDirect, type DirectOptions } from './upload-direct.ts';
import { isDirectOnly, type Uploaded, type UploadOptions, type UploadOutcome } from './upload-fields.ts';
import { uploadBatch, uploadStreamed, type BatchAnswer } from './upload-form.ts';
import { uploadMany, type ManyOptions } from './upload-many.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

const MIB = 1024 * 1024;

export type FileDetail = Data<'/files/{file_id}', 'get'>;
export type ExportRecord = Data<'/data/export/{export_id}', 'get'>;
export type LinkAnswer = Data<'/files/links', 'post'>;
/** A link of several, with a title and tags of its own. */
export type NewLink = Body<'/files/links/batch'>['links'][number];
export type SearchAnswer = Data<'/files/search', 'post'>;
export type SimilarImage = Data<'/files/{file_id}/similar', 'get'>['items'][number];
export type Variant = 'tiny_64' | 'small_256' | 'medium_750' | 'large_1024' | 'original';

/** A request that is no operation of the document, or goes to another server. */
export interface RawRequest extends SendOptions {
  body?: NonNullable<RequestInit['body']>;
  headers?: Record<string, string>;
  repeatable?: boolean | Retryable;
}

/** A client of Darkroom. */
export class Darkroom {
  /** Every operation of the API, typed by its document. */
  readonly api: Api;
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
    this.api = createApi(this.#transport);
  }

  /**
   * Uploads a file: streamed through the API, or if it is large directly to the object store, in parts. What is lost on the
   * way is sent again; for that, a stream is read first, and more than 8 MiB of it are kept in a temporary file (in a
   * browser in memory). A URL is read by this program, so it may be one that only this program reaches; `addLink` has the
   * server read it.
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
   * Adds a page of the web, or a PDF, DOCX, text or image, by its URL; `wait` waits until it is crawled.
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
   * Adds several pages or files by their URLs in one request, up to `max_batch_size` of `GET /files/quota-check`. Those
   * that the API did not take are among the `rejections`; the others are in the upload session of the answer.
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
   * Uploads many files, small ones several in a request.
   *
   * @yields the end of each, as it comes; a file that fails does not stop the others
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
   * Uploads files in one request, up to `max_batch_size` of `GET /files/quota-check`. Those that the API did not take are
   * among the `rejections`; the others are in the upload session of the answer.
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
   * Waits until a file is processed, whether that succeeds or fails: see its `primary_status`.
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

  /** The passages of documents that answer a question best, with the pages that they are on. @throws as `wait` */
  async search(
    query: string,
    { signal, ...filters }: Omit<Body<'/files/search'>, 'query'> & { signal?: AbortSignal } = {},
  ): Promise<SearchAnswer> {
    return (await this.api.POST('/files/search', { body: { query, ...filters }, ...(signal && { signal }) }))
      .data;
  }

  /** Images that look like this one, most similar first. @throws as `wait` */
  async similar(
    fileId: string,
    { signal, ...query }: NonNullable<Query<'/files/{file_id}/similar'>> & { signal?: AbortSignal } = {},
  ): Promise<SimilarImage[]> {
    const params = { path: { file_id: fileId }, query };
    return (await this.api.GET('/files/{file_id}/similar', { params, ...(signal && { signal }) })).data.items;
  }

  /**
   * Fills in a schema from a file, with citations.
   *
   * @param schema of zod, whose type is that of the result, or a JSON Schema
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
   * The entries of a list, page after page as they are needed: `for await (const file of client.list('/files'))`.
   *
   * @throws as `wait`
   */
  list<P extends ListPath>(
    path: P,
    ...[options]: ListOptions<P> extends { path: object } ? [ListOptions<P>] : [ListOptions<P>?]
  ): AsyncGenerator<Entry<P>, void, undefined> {
    return paginate(this.api, path, options);
  }

  /** Makes a table of files and waits for it. @throws ApiError EXPORT_FAILED and others; as `wait` */
  async exportFiles(body: Body<'/files/export'>, options: WaitOptions = {}): Promise<ExportRecord> {
    const { data } = await this.api.POST('/files/export', {
      body,
      ...(options.signal && { signal: options.signal }),
    });
    return this.waitForExport(data.export_id, options);
  }

  /** Writes the history of descriptions to a file and waits for it. @throws as `exportFiles` */
  async exportDescriptions(body: Body<'/data/export'>, options: WaitOptions = {}): Promise<ExportRecord> {
    const { data } = await this.api.POST('/data/export', {
      body,
      ...(options.signal && { signal: options.signal }),
    });
    return this.waitForExport(data.export_id, options);
  }

  /** @returns the record of a complete export, whose `download_url` works for an hour. @throws as `exportFiles` */
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

  /** The bytes of a file, or of a smaller version of an image. @throws as `wait` */
  async download(
    fileId: string,
    { variant, signal, ...options }: SendOptions & { variant?: Variant } = {},
  ): Promise<Response> {
    const path = `/files/${encodeURIComponent(fileId)}/${variant ? `variant/${variant}` : 'download'}`;
    const make = () => this.#transport.request('GET', path);
    return this.#transport.send(make, { ...options, signal, repeatable: true });
  }

  /** The live events of a channel until its end, such as those of `/files/sessions/{id}`. @throws as `wait` */
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
      ...common
    } = options;
    return uploadStreamed(this.#transport, content, common);
  }

  /**
   * Sends a request of any kind to a path of the API, or to another server, which gets no key.
   *
   * @param init `repeatable`: whether it may be sent again although it may have taken effect
   * @throws ApiError unless the answer is a success; ConnectionError, the reason of the signal
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

/** Larger files go to the object store. A bucket of the account's own is only behind the API. */
function mostStreamed({ storage_target: target, directOverBytes }: UploadOptions): number {
  if (target === 'custom') return Infinity;
  // A browser may send to the store only what the store allows.
  return directOverBytes ?? (nodeModule('node:fs') ? 32 * MIB : 100 * MIB);
}
