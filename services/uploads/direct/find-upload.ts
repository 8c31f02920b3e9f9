import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/ids.ts';

export interface UploadTarget {
  uploadId: string;
  tenantId: string;
}

/**
 * An upload intent of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function findUpload(
  em: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<UploadIntent> {
  return found(em, uploadId, tenantId);
}

/** Whether there is such an upload, open or ended. */
export async function isAnnounced(
  em: EntityManager,
  { uploadId: id, tenantId }: UploadTarget,
): Promise<boolean> {
  return (await em.count(UploadIntent, { id, tenantId })) > 0;
}

/** An upload intent like `findUpload`, with its row locked until the transaction ends, which serializes all changes of its state. */
export async function lockUpload(
  tx: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<UploadIntent> {
  return found(tx, uploadId, tenantId, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function found(
  em: EntityManager,
  id: string,
  tenantId: string,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<UploadIntent> {
  const intent = isUuid(id)
    ? await em.findOne(UploadIntent, { id: id.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!intent) throw notFound('upload');
  return intent;
}
