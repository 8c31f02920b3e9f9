import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { WebFetchError } from '../../adapters/web-fetch/web-fetch-error.ts';
import { TextOverBudget } from '../../engines/text-work/errors.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_LINE, MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { OpenSource, SourceFile } from './source.ts';

/** A manifest that cannot be read. */
export class ManifestRefused extends Error {
  override readonly name = 'ManifestRefused';
}

export interface ManifestDeps {
  web: WebFetch;
  /** Parses the lines, in threads. */
  text: TextWork;
}

/** Bytes of lines that are parsed in one task. */
const CHUNK_BYTES = MAX_MANIFEST_LINE;
const NEWLINE = 10;

/**
 * The files behind the URLs of a manifest, which is read as a stream; the cursor is the number of lines read. A line that is
 * not valid is a file that is skipped, with the reason.
 */
export function openManifest({ web, text }: ManifestDeps, tenantId: string, url: string): OpenSource {
  let open: { lines: AsyncGenerator<SourceFile[], undefined>; read: number } | undefined;

  async function* pages(signal: AbortSignal): AsyncGenerator<SourceFile[], undefined> {
    const accept = '*/*';
    const content = await web.open(url, { maxBytes: MAX_MANIFEST_BYTES, signal, accept });
    let read = 0;
    for await (const lines of wholeLines(content)) {
      const rows = await text.readManifest({ text: lines, firstLine: read + 1 }, { tenantId, signal });
      read += rows.length;
      yield rows.map(({ key, attributes, problem }) => ({
        key,
        etag: '',
        sizeBytes: null,
        ...(attributes && { attributes }),
        ...(problem !== undefined && { reason: { code: 'ROW_INVALID', message: problem } }),
      }));
    }
    return undefined;
  }

  return {
    isBounded: true,
    async list(cursor, signal) {
      const begun = Number(cursor ?? 0);
      if (open?.read !== begun) open = { lines: pages(signal), read: 0 };
      for (;;) {
        const page = await open.lines.next();
        if (page.done) return { files: [], next: undefined };
        const before = open.read;
        open.read += page.value.length;
        if (open.read <= begun) continue;
        return { files: page.value.slice(Math.max(0, begun - before)), next: String(open.read) };
      }
    },
    async open({ key }, signal) {
      return { content: await web.open(key, { maxBytes: MAX_STREAMED_BYTES, signal, accept: '*/*' }) };
    },
  };
}

/** Why a manifest, or a file behind a URL, cannot be read; undefined for other errors. */
export function manifestReason(error: unknown): FailureReason | undefined {
  if (error instanceof WebFetchError) return { code: error.code, message: error.message };
  if (error instanceof TextOverBudget)
    return { code: 'MANIFEST_INVALID', message: 'the manifest needs too much work to be read' };
  return error instanceof ManifestRefused ? { code: 'MANIFEST_INVALID', message: error.message } : undefined;
}

/** The content in texts of whole lines. Bytes are only searched for the end of a line here. */
async function* wholeLines(content: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let kept = Buffer.alloc(0);
  for await (const bytes of content) {
    kept = Buffer.concat([kept, bytes]);
    while (kept.length >= CHUNK_BYTES) {
      const end = kept.lastIndexOf(NEWLINE, CHUNK_BYTES - 1) + 1;
      if (end === 0) {
        throw new ManifestRefused(`a line of the manifest has more than ${MAX_MANIFEST_LINE} bytes`);
      }
      yield kept.toString('utf8', 0, end);
      kept = kept.subarray(end);
    }
  }
  if (kept.length > 0) yield kept.toString('utf8');
  return undefined;
}
