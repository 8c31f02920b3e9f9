import type { MultipartUpload, ObjectStore, UploadedPart } from '../../adapters/object-store/object-store.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { beginUpload } from './begin-upload.ts';
import type { ExportRun } from './export-run.ts';

const PART_BYTES = 5 * 1024 * 1024;

/**
 * Stores a file that can only be written from its beginning. What an earlier attempt has stored of it is removed. One part
 * is in memory at a time.
 *
 * @throws ExportSuperseded
 */
export async function writeWhole(
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
    if (!upload) {
      upload = await beginUpload(objects, run, contentType);
    }
    parts.push(await objects.uploadPart(upload, parts.length + 1, Buffer.concat(chunks, bytes), { signal }));
    [chunks, bytes] = [[], 0];
  }
  const rest = Buffer.concat(chunks, bytes);
  if (!upload) return objects.put(key, rest, { contentType, signal });
  if (bytes > 0) parts.push(await objects.uploadPart(upload, parts.length + 1, rest, { signal }));
  return objects.completeMultipart(upload, parts);
}
