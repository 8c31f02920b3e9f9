import { Readable } from 'node:stream';
import { CONTENT_TYPES, MAGIC_BYTES } from '../../domain/media.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { normalizeLink } from '../../domain/links/web-link.ts';
import { MAX_PAGE_BYTES } from '../../domain/links/web-page.ts';
import { sniffContentType } from '../../engines/content-sniffer/content-sniffer.ts';
import { WebFetchError } from './web-fetch-error.ts';
import type { WebAnswer, WebFetch } from './web-fetch.ts';
import type { Robots } from './robots.ts';

/** The content of a URL. */
export type FetchedContent =
  /** Unchanged since the validators were issued. */
  | { kind: 'unchanged' }
  | ({ kind: 'page'; bytes: Buffer } & AnswerFacts)
  /** A file of another medium, which must be read or destroyed. */
  | ({ kind: 'file'; type: string; content: Readable } & AnswerFacts);

interface AnswerFacts {
  /** After all redirects. */
  url: string;
  contentType: string | undefined;
  etag: string | null;
  lastModified: string | null;
}

/** The content is neither a page nor a file of an accepted type. Not retryable. */
export class NotAPage extends Error {
  override readonly name = 'NotAPage';
}

/** Validators of an earlier answer. */
export interface Validators {
  /** The URL that gave the answer, normalised by `normalizeLink`. */
  finalUrl?: string;
  etag?: string | null;
  lastModified?: string | null;
}

const ACCEPT = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i;
const HTML_HEAD = /^(\u00ef\u00bb\u00bf)?\s*(<!--[^>]{0,500}-->\s*)?<(!doctype\s+html|html|head|body)\b/i;
/** Markup is never a file of another medium, even if it contains such a signature. */
const MARKUP = /^(\u00ef\u00bb\u00bf)?\s*</;
/** Extensions of files that their bytes alone do not tell apart, more reliable than the `Content-Type` of most servers. */
const TEXT_NAME = /\.(txt|md|markdown|csv|tsv|xlsx|pptx)$/i;
const MAX_VALIDATOR = 500;

/**
 * Fetches a page, or a file of another medium, as far as the robots.txt of the site allows. The type is taken
 * from the leading bytes if they are conclusive.
 *
 * @throws WebFetchError, NotAPage; the reason of the signal
 */
export async function fetchPage(
  { web, robots }: { web: WebFetch; robots: Robots },
  link: string,
  { tenantId, signal, validators = {} }: { tenantId: string; signal: AbortSignal; validators?: Validators },
): Promise<FetchedContent> {
  const { finalUrl, etag, lastModified } = validators;
  const headers = {
    ...(etag && { 'If-None-Match': etag }),
    ...(lastModified && { 'If-Modified-Since': lastModified }),
  };
  const answer = await web.request(link, {
    accept: ACCEPT,
    maxBytes: MAX_STREAMED_BYTES,
    signal,
    conditions: ({ href }) =>
      Object.keys(headers).length > 0 && normalizeLink(href) === finalUrl ? headers : undefined,
    admit: (url) => robots.check(url, { tenantId, signal }),
  });
  if (answer.status !== 200) {
    answer.content.destroy();
    return { kind: 'unchanged' };
  }
  try {
    return await readAnswer(answer);
  } catch (error) {
    answer.content.destroy();
    throw error;
  }
}

async function readAnswer({ url, headers, content }: WebAnswer): Promise<FetchedContent> {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first: Buffer[] = [];
  let length = 0;
  let ended = false;
  while (length < MAGIC_BYTES && !ended) {
    const { value, done = false } = await chunks.next();
    ended = done;
    if (value === undefined) continue;
    first.push(value);
    length += value.length;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  const contentType = headers['content-type'];
  const facts = {
    url: url.href,
    contentType,
    etag: validator(headers.etag),
    lastModified: validator(headers['last-modified']),
  };
  const head = Buffer.concat(first).subarray(0, MAGIC_BYTES);
  const text = head.toString('latin1');
  if (HTML_HEAD.test(text) || (HTML.test(contentType ?? '') && MARKUP.test(text))) {
    return { kind: 'page', bytes: await readAll(whole()), ...facts };
  }
  const named = url.pathname.split('/').at(-1) ?? '';
  const filename = TEXT_NAME.test(named) ? named : undefined;
  const type = await sniffContentType(head, { contentType, filename });
  if (type !== undefined && !HTML.test(type) && Object.hasOwn(CONTENT_TYPES, type)) {
    const stream = Readable.from(whole(), { objectMode: false }).once('close', () => content.destroy());
    return { kind: 'file', type, content: stream, ...facts };
  }
  if (!HTML.test(contentType ?? '')) {
    throw new NotAPage(
      `the content of the URL is neither a page nor a file of an accepted type: ${type ?? plain(contentType)}`,
    );
  }
  return { kind: 'page', bytes: await readAll(whole()), ...facts };
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length <= MAX_PAGE_BYTES) continue;
    const limit = `${MAX_PAGE_BYTES / 1024 / 1024} MB`;
    throw new WebFetchError('URL_TOO_LARGE', `the page has more than ${limit}`);
  }
  return Buffer.concat(read);
}

function validator(value: string | undefined): string | null {
  return value !== undefined && value.length <= MAX_VALIDATOR ? value : null;
}

function plain(contentType = 'of an unknown type'): string {
  return contentType.split(';', 1)[0]?.trim().slice(0, 100) ?? '';
}
