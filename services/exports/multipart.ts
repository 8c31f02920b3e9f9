import type { MultipartUpload, ObjectStore, UploadedPart } from '../../adapters/object-store/object-store.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { changeRun, type ExportRun } from './export-run.ts';

/** The least that a store takes as a part which is not the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/**
 * Begins the multipart upload of an export and records it. One that could not be recorded is found with the export, by its
 * key.
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

/** Uploads a part, whose bytes cannot be used afterwards. */
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

/** Frees memory of its own at once: until the garbage collector does, an export would take twice as much. */
export function release(bytes: Buffer): void {
  // Small buffers share theirs.
  if (bytes.byteLength > Buffer.poolSize) (bytes.buffer as ArrayBuffer).transfer(0);
}
