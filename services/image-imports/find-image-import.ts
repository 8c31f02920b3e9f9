import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { notFound } from '../../domain/app-error.ts';
import type { ImportTarget } from '../../temporal/contract/import-image.ts';
import { isUuid } from '../shared/sql.ts';
import type { Engine } from '../../temporal/client.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';

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

/** Starts the workflow of an import; until that has read the row, the sweep does so again. Idempotent. */
export async function startImageImport(engine: Engine, { id, tenantId }: ImageImport): Promise<void> {
  await ifReachable(engine, { tenant_id: tenantId, file_id: id }, () =>
    startWorkflow(engine, 'importImage', { fileId: id, tenantId }),
  );
}
