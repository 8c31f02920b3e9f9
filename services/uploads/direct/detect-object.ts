import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { changeUpload } from './change-upload.ts';
import { lockUpload } from './find-upload.ts';

/**
 * Checks whether the object of a single-PUT upload has arrived, and records it.
 *
 * @returns whether it exists; true for a multipart upload, whose parts are counted instead
 */
export async function detectObject(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  intent: UploadIntent,
  signal?: AbortSignal,
): Promise<boolean> {
  if (intent.mode === 'multipart') return true;
  if (!(await objects.stat(intent.objectKey, { signal }))) return false;
  if (intent.status !== 'PENDING') return true;
  await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: intent.id, tenantId: intent.tenantId });
    if (current.status === 'PENDING') changeUpload(current, { type: 'bytes_seen' });
  });
  await em.refreshOrFail(intent);
  return true;
}
