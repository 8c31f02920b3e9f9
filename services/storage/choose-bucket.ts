import type { EntityManager } from '@mikro-orm/postgresql';
import { requireStorageConfig } from './find-storage-config.ts';

/**
 * Where an upload goes, by its `storage_target`.
 *
 * @throws AppError STORAGE_NOT_CONFIGURED
 */
export async function chooseBucket(
  em: EntityManager,
  tenantId: string,
  target: string,
): Promise<{ storageConfigId?: string }> {
  return target === 'custom' ? { storageConfigId: (await requireStorageConfig(em, tenantId)).id } : {};
}
