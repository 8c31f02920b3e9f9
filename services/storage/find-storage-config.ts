import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { AppError } from '../../domain/app-error.ts';

/** The configuration that takes new uploads of a tenant. */
export function findStorageConfig(em: EntityManager, tenantId: string): Promise<StorageConfig | null> {
  return em.findOne(StorageConfig, { tenantId, retiredAt: null });
}

/** @throws AppError STORAGE_NOT_CONFIGURED */
export async function requireStorageConfig(em: EntityManager, tenantId: string): Promise<StorageConfig> {
  const config = await findStorageConfig(em, tenantId);
  if (!config) throw new AppError('STORAGE_NOT_CONFIGURED', 'this account has no custom storage');
  return config;
}
