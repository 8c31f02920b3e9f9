import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { notFound } from '../../domain/app-error.ts';
import type { ImportTarget } from '../../temporal/contract/import-image.ts';
import { isUuid } from '../shared/sql.ts';

/**
 * An import of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export function findImageImport(em: EntityManager, target: ImportTarget): Promise<ImageImport> {
  return find(em, target, {});
}

/** The same, with its row locked until the transaction ends. */
export function lockImageImport(tx: EntityManager, target: ImportTarget): Promise<ImageImport> {
  return find(tx, target, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function find(
  em: EntityManager,
  { fileId, tenantId }: ImportTarget,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE },
): Promise<ImageImport> {
  const found = isUuid(fileId)
    ? await em.findOne(ImageImport, { id: fileId.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!found) throw notFound('import');
  return found;
}
