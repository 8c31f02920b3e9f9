import type { MultipartUpload, ObjectStore, UploadedPart } from '../../adapters/object-store/object-store.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { changeRun, type ExportRun, forgetParts, readParts, recordPart } from './export-run.ts';
import type { ExportCursor } from '../../domain/exports/export.ts';
import { isStatementTimeout } from '../shared/outage.ts';
import type { ExportJob, Format } from './formats/format.ts';
import type { Column, Table, TextLayout } from './table.ts';

/** Minimum size of a part at a store, except for the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/**
 * Begins the multipart upload of an export and records it. The cleanup finds an unrecorded upload by the key of the
 * export.
 *
 * @throws ExportSuperseded
 */
export async function beginUpload(
  objects: ObjectStore,
  run: ExportRun,
  contentType: string,
): Promise<MultipartUpload> {
  const key = exportKey(run.row.tenantId, run.row.id);
  const upload = await objects.initiateMultipart(key, { contentType });
  try {
    await changeRun(run, (row) => void (row.storeUploadId = upload.uploadId));
  } catch (error) {
    await objects.abortMultipart(upload);
    throw error;
  }
  return upload;
}

/** Uploads a part and releases its buffer, which must not be used afterwards. */
export async function uploadPart(
  objects: ObjectStore,
  upload: MultipartUpload,
  number: number,
  body: Buffer,
  signal: AbortSignal,
): Promise<UploadedPart> {
  const part = await objects.uploadPart(upload, number, body, { signal });
  release(body);
  return part;
}

/** Frees the buffer's own memory at once: waiting for the garbage collector would double the memory of an export. */
function release(bytes: Buffer): void {
  // Small buffers share pooled memory.
  if (bytes.byteLength > Buffer.poolSize) (bytes.buffer as ArrayBuffer).transfer(0);
}

/** Target size of a page: two or three make a part. */
const PAGE_BYTES = 3 * 1024 * 1024;

/** A format that is text, row by row: an attempt continues after the last recorded part. */
export function textFormat({
  maxRecords,
  file,
  layout,
}: {
  maxRecords: Format['maxRecords'];
  file: NonNullable<Format['file']>;
  layout: (columns: readonly Column[]) => TextLayout;
}): Format {
  return {
    maxRecords,
    file,
    queue: 'io',
    write: (job) => writeParts(job, file.contentType, layout(job.table.columns)),
  };
}

/** The stored parts differ from the recorded ones: two attempts wrote at once. The next begins there. */
export class PartsChanged extends Error {
  override readonly name = 'PartsChanged';
}

interface Written {
  /** None while everything fits into one request. */
  upload?: MultipartUpload;
  parts: UploadedPart[];
  records: number;
  cursor?: ExportCursor;
}

/**
 * Writes records to the store as one object, in parts of whole records. A stored part is recorded with its last record,
 * and a later attempt continues there: no record is missing or duplicated. Holds two parts in memory at a time, and the
 * pages read meanwhile.
 *
 * @returns how many records
 * @throws ExportSuperseded, PartsChanged
 */
async function writeParts(
  { objects, run, table, controls: { signal, onProgress } }: ExportJob,
  contentType: string,
  layout: TextLayout,
): Promise<number> {
  const key = exportKey(run.row.tenantId, run.row.id);
  const written = await resume(objects, run, key);
  const { parts } = written;
  let { upload, records } = written;
  let chunks: Buffer[] = [];
  let bytes = 0;
  let storing = Promise.resolve();

  const add = (chunk: Buffer): void => {
    chunks.push(chunk);
    bytes += chunk.length;
  };
  const take = (): Buffer => {
    const body = Buffer.concat(chunks, bytes);
    for (const chunk of chunks) release(chunk);
    [chunks, bytes] = [[], 0];
    return body;
  };
  const store = async (
    to: MultipartUpload,
    body: Buffer,
    end?: { cursor: ExportCursor; records: number },
  ) => {
    const { number, etag } = await uploadPart(objects, to, parts.length + 1, body, signal);
    const part = { number, etag: unquoted(etag) };
    if (end) await recordPart(run, { ...part, ...end });
    parts.push(part);
  };

  const expected = await expectedOf(run, table);
  onProgress(records, expected);
  if (parts.length === 0) add(Buffer.from(layout.head));
  try {
    const from = { after: written.cursor, written: records, pageBytes: PAGE_BYTES };
    for await (const { text, records: more, cursor } of table.pages(layout, from)) {
      signal.throwIfAborted();
      if (records > 0 && more > 0) add(Buffer.from(layout.between));
      add(text);
      records += more;
      // The last page has no cursor.
      if (bytes < PART_BYTES || !cursor) continue;
      const body = take();
      await storing;
      upload ??= await beginUpload(objects, run, contentType);
      storing = store(upload, body, { cursor, records });
      // A failure is thrown where this is awaited.
      storing.catch(() => undefined);
      onProgress(records, expected);
    }
  } finally {
    await storing;
  }
  add(Buffer.from(layout.tail));
  if (!upload) {
    await objects.put(key, take(), { contentType, signal });
    return records;
  }
  if (bytes > 0) await store(upload, take());
  if (!hasAll(await objects.listParts(upload), parts)) {
    throw new PartsChanged('the parts in the store are not the ones that were recorded');
  }
  await objects.completeMultipart(upload, parts);
  return records;
}

/** The output of earlier attempts, as far as the store has it. */
async function resume(objects: ObjectStore, run: ExportRun, key: string): Promise<Written> {
  const { storeUploadId: uploadId } = run.row;
  if (!uploadId) return { parts: [], records: 0 };
  const upload = { key, uploadId };
  const stored = await objects.listParts(upload);
  const recorded = await readParts(run);
  const differs = recorded.findIndex(
    ({ number, etag }) => !stored?.some((part) => part.number === number && part.etag === etag),
  );
  const kept = differs === -1 ? recorded : recorded.slice(0, differs);
  if (kept.length < recorded.length) await forgetParts(run, kept.length + 1);
  const last = kept.at(-1);
  return {
    ...(stored && { upload }),
    parts: kept.map(({ number, etag }) => ({ number, etag: etag ?? '' })),
    records: last?.records ?? 0,
    ...(last && { cursor: last.cursor }),
  };
}

/** Only for the progress, so null if counting takes too long. */
async function expectedOf(run: ExportRun, table: Table): Promise<number | null> {
  if (typeof run.row.expectedCount === 'number') return run.row.expectedCount;
  try {
    const expected = await table.count();
    await changeRun(run, (row) => void (row.expectedCount = expected));
    return expected;
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}

/** Whether the store has these parts. An additional part, of an earlier attempt with more records, is ignored. */
function hasAll(stored: readonly UploadedPart[] | undefined, parts: readonly UploadedPart[]): boolean {
  return parts.every(({ number, etag }) =>
    stored?.some((part) => part.number === number && part.etag === etag),
  );
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '');
}
