import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DataExport } from '../../db/entities/exports/export.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../shared/sql.ts';

export interface ExportTarget {
  exportId: string;
  tenantId: string;
}

/**
 * An export of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export function findExport(em: EntityManager, target: ExportTarget): Promise<DataExport> {
  return found(em, target);
}

/** The same, with its row locked until the transaction ends, which serializes all changes of its status. */
export function lockExport(tx: EntityManager, target: ExportTarget): Promise<DataExport> {
  return found(tx, target, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** One page of a tenant's exports, newest first, and the total count. */
export async function listExports(
  em: EntityManager,
  tenantId: string,
  page: { limit: number; offset: number },
): Promise<{ exports: DataExport[]; totalCount: number }> {
  const [exports, totalCount] = await em.findAndCount(
    DataExport,
    { tenantId },
    { ...page, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  return { exports, totalCount };
}

async function found(
  em: EntityManager,
  { exportId, tenantId }: ExportTarget,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<DataExport> {
  const row = isUuid(exportId)
    ? await em.findOne(DataExport, { id: exportId.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!row) throw notFound('export');
  return row;
}
