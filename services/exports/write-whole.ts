import type { MultipartUpload, ObjectStore, UploadedPart } from '../../adapters/object-store/object-store.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { changeRun, type ExportRun } from './export-run.ts';
import type { ExportJob } from './formats/format.ts';
import { beginUpload, PART_BYTES, uploadPart } from './write-parts.ts';
import { SMALL_PAGE_BYTES, type TextLayout, type TextPage } from './table.ts';

/** Interval of progress records. */
const PROGRESS_MS = 1000;

/**
 * Writes a file that can only be written from its beginning, from pages in a layout. Stored output of an earlier
 * attempt is removed.
 *
 * @returns how many records
 * @throws ExportSuperseded
 */
export async function writeWhole(
  job: ExportJob,
  contentType: string,
  layout: Pick<TextLayout, 'row' | 'between'>,
  file: (pages: AsyncIterable<TextPage>) => AsyncIterable<Uint8Array>,
): Promise<number> {
  const { objects, run, controls, table } = job;
  let recordCount = 0;
  await store(objects, run, file(pages()), { contentType, signal: controls.signal });
  return recordCount;

  /** All pages; records the progress at intervals. */
  async function* pages(): AsyncIterable<TextPage> {
    const expectedCount = await table.count();
    const from = { after: undefined, written: 0, pageBytes: SMALL_PAGE_BYTES };
    let recordedAt = 0;
    for await (const page of table.pages(layout, from)) {
      controls.signal.throwIfAborted();
      yield page;
      recordCount += page.records;
      controls.onProgress(recordCount, expectedCount);
      if (Date.now() - recordedAt < PROGRESS_MS) continue;
      recordedAt = Date.now();
      await changeRun(run, (row) => void Object.assign(row, { recordCount, expectedCount }));
    }
  }
}

/** Stores a file while it is generated; one part is in memory at a time. */
async function store(
  objects: ObjectStore,
  run: ExportRun,
  file: AsyncIterable<Uint8Array>,
  { contentType, signal }: { contentType: string; signal: AbortSignal },
): Promise<void> {
  const key = exportKey(run.row.tenantId, run.row.id);
  for await (const former of objects.listIncompleteUploads(key)) await objects.abortMultipart(former);
  const parts: UploadedPart[] = [];
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let upload: MultipartUpload | undefined;
  for await (const chunk of file) {
    signal.throwIfAborted();
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < PART_BYTES) continue;
    upload ??= await beginUpload(objects, run, contentType);
    const body = Buffer.concat(chunks, bytes);
    parts.push(await uploadPart(objects, upload, parts.length + 1, body, signal));
    [chunks, bytes] = [[], 0];
  }
  const rest = Buffer.concat(chunks, bytes);
  if (!upload) return objects.put(key, rest, { contentType, signal });
  if (bytes > 0) parts.push(await uploadPart(objects, upload, parts.length + 1, rest, signal));
  return objects.completeMultipart(upload, parts);
}
