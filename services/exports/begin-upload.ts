import type { MultipartUpload, ObjectStore } from '../../adapters/object-store/object-store.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { changeRun, type ExportRun } from './export-run.ts';

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
