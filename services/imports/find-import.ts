import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { FileImport } from '../../db/entities/imports/import.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import { notFound } from '../../domain/app-error.ts';
import { isImportOpen, OPEN_IMPORT_STATUSES, type ImportItemStatus } from '../../domain/imports.ts';
import { BEFORE_ALL, isUuid } from '../shared/sql.ts';

export interface ImportTarget {
  importId: string;
  tenantId: string;
}

/** One run of an import: later ones take over from it. */
export interface ImportRun extends ImportTarget {
  generation: number;
}

/**
 * An import of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export function findImport(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return find(em, target);
}

/** The same, with its row locked until the transaction ends. */
export function lockImport(tx: EntityManager, target: ImportTarget): Promise<FileImport> {
  return find(tx, target, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function find(
  em: EntityManager,
  { importId, tenantId }: ImportTarget,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<FileImport> {
  const row = isUuid(importId)
    ? await em.findOne(FileImport, { id: importId.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!row) throw notFound('import');
  return row;
}

/** Whether a run may go on: its import is open, and no later run has taken over. */
export function isCurrent({ status, generation }: FileImport, run: ImportRun): boolean {
  return isImportOpen(status) && generation === run.generation;
}

/** Whether a tenant has at least so many imports that have not ended. */
export async function hasOpenImports(em: EntityManager, tenantId: string, number: number): Promise<boolean> {
  return (await em.count(FileImport, { tenantId, status: { $in: [...OPEN_IMPORT_STATUSES] } })) >= number;
}

/** One page of a tenant's imports, newest first, and the total count. */
export async function listImports(
  em: EntityManager,
  tenantId: string,
  page: { limit: number; offset: number },
): Promise<{ imports: FileImport[]; totalCount: number }> {
  const [imports, totalCount] = await em.findAndCount(
    FileImport,
    { tenantId },
    { ...page, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  return { imports, totalCount };
}

/** One page of the items of an import, in the order of their ids. */
export async function listImportItems(
  em: EntityManager,
  importId: string,
  {
    status,
    isGone,
    after = BEFORE_ALL,
    limit,
  }: { status?: ImportItemStatus; isGone?: boolean; after?: string; limit: number },
): Promise<{ items: ImportItem[]; next: string | undefined }> {
  const where = {
    importId,
    id: { $gt: after },
    ...(status && { status }),
    ...(isGone !== undefined && { goneAt: isGone ? { $ne: null } : null }),
  };
  const items = await em.find(ImportItem, where, { orderBy: { id: 'asc' }, limit: limit + 1 });
  const page = items.slice(0, limit);
  return { items: page, next: items.length > limit ? page.at(-1)?.id : undefined };
}
