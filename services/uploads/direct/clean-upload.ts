import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { incomingKey, originalPrefix, placeOf } from '../../../domain/object-keys.ts';
import { isIntentOpen, type IntentStatus } from '../../../domain/uploads/upload-intent.ts';
import { findUpload, type UploadTarget } from './find-upload.ts';

/**
 * Removes the leftovers of an ended upload from the store: parts, copies, and late writes through its URL. The object
 * of its file is kept. Idempotent.
 *
 * @throws AppError of a bucket of the tenant's own that cannot be used
 */
export async function cleanUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: UploadTarget,
): Promise<IntentStatus> {
  const intent = await findUpload(em, target);
  if (isIntentOpen(intent.status)) return intent.status;
  const { tenantId, fileId } = intent;
  const place = placeOf(tenantId, intent.objectKey);
  const prefix = originalPrefix(place, fileId);
  for await (const upload of objects.listIncompleteUploads(prefix)) await objects.abortMultipart(upload);
  const leftovers = [incomingKey(place, intent.id)];
  const file = await em.findOne(StoredFile, { id: fileId, tenantId });
  for await (const { key } of objects.list(prefix)) if (key !== file?.objectKey) leftovers.push(key);
  await objects.remove(leftovers);
  return intent.status;
}
