import { createWriteStream } from 'node:fs';
import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { WebFetchError } from '../../adapters/web-fetch/web-fetch-error.ts';
import { makeTemporaryFolder } from '../../engines/temporary-folders.ts';
import { TextOverBudget } from '../../engines/text-work/errors.ts';
import type { ManifestTable } from '../../engines/text-work/read-manifest.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_LINE, MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import type { FailureReason } from '../../domain/components.ts';
import { boundedListing, type OpenSource, type SourceFile } from './source.ts';

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
 * The files of a manifest, which is read as a stream. A row that is not valid is a file that is skipped, with the reason.
 *
 * @param openKey opens an object of the bucket that rows name the keys of; without it, they name URLs
 */
export function openManifest(
  { web, text }: ManifestDeps,
  tenantId: string,
  url: string,
  openKey?: OpenSource['open'],
): OpenSource {
  async function* pages(signal: AbortSignal): AsyncGenerator<{ files: SourceFile[] }, undefined> {
    const accept = '*/*';
    const content = await spool(await web.open(url, { maxBytes: MAX_MANIFEST_BYTES, signal, accept }));
    const names = openKey ? 'key' : 'url';
    let firstLine = 1;
    let table: ManifestTable | undefined;
    for await (const lines of wholeLines(content)) {
      const found = await text.readManifest({ text: lines, firstLine, names, table }, { tenantId, signal });
      const { rows: read } = found;
      // The head of a table is no row.
      firstLine += read.length + (firstLine === 1 && found.table ? 1 : 0);
      table = found.table;
      const files = read.map(({ key, attributes, problem }) => ({
        key,
        etag: '',
        sizeBytes: null,
        ...(attributes && { attributes }),
        ...(problem !== undefined && { reason: { code: 'ROW_INVALID', message: problem } }),
      }));
      yield { files };
    }
    return undefined;
  }

  return {
    ...boundedListing(pages),
    async open(item, signal) {
      if (openKey) return openKey(item, signal);
      const { key } = item;
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

/**
 * The content by way of a file, since a site has less time to send it than rows take to be recorded. The file has no name once
 * it is complete, and is gone when the stream ends or is destroyed.
 */
async function spool(content: Readable): Promise<Readable> {
  const folder = makeTemporaryFolder('manifest');
  try {
    const path = join(folder, 'manifest');
    await pipeline(content, createWriteStream(path));
    return (await openFile(path)).createReadStream();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
