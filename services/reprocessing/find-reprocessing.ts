import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ReprocessedFile } from '../../db/entities/reprocessing/reprocessed-file.ts';
import { Reprocessing } from '../../db/entities/reprocessing/reprocessing.ts';
import { notFound } from '../../domain/app-error.ts';
import type { ComponentName, FailureReason } from '../../domain/components.ts';
import type { ReprocessedFileStatus } from '../../domain/reprocessing.ts';
import { afterSql, readCursor, writeCursor, type FileOrder } from '../files/file-order.ts';
import { isUuid, sql } from '../shared/sql.ts';
import type { ReprocessingTarget } from '../../temporal/contract/reprocess-files.ts';
import { settleFiles } from './settle-files.ts';

/** A reprocessing, and how many of its files are in progress. */
export interface ReprocessingState {
  row: Reprocessing;
  processing: number;
}

/**
 * The row of a reprocessing, locked until the transaction ends, which serializes all changes of it.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function lockReprocessing(
  tx: EntityManager,
  { reprocessingId, tenantId }: ReprocessingTarget,
): Promise<Reprocessing> {
  const row = isUuid(reprocessingId)
    ? await tx.findOne(
        Reprocessing,
        { id: reprocessingId.toLowerCase(), tenantId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      )
    : null;
  if (!row) throw notFound('reprocessing');
  return row;
}

/** The state of a reprocessing, with the ends of its files up to now. */
export async function readState(em: EntityManager, row: Reprocessing): Promise<ReprocessingState> {
  const processing = await settleFiles(em, row.id);
  await em.refreshOrFail(row);
  return { row, processing };
}

/** One page of a tenant's reprocessings, newest first, as last recorded, and the total count. */
export async function listReprocessings(
  em: EntityManager,
  tenantId: string,
  page: { limit: number; offset: number },
): Promise<{ items: ReprocessingState[]; totalCount: number }> {
  const [rows, totalCount] = await em.findAndCount(
    Reprocessing,
    { tenantId },
    { ...page, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  const items: ReprocessingState[] = [];
  for (const row of rows) items.push({ row, processing: await countProcessing(em, row.id) });
  return { items, totalCount };
}

function countProcessing(em: EntityManager, reprocessingId: string): Promise<number> {
  return em.count(ReprocessedFile, { reprocessingId, status: 'processing' });
}

/** A file of a reprocessing, and its descriptions before and after. */
export interface ReprocessedFileResult {
  fileId: string;
  filename: string;
  status: ReprocessedFileStatus;
  generation: number | null;
  components: ComponentName[];
  error: FailureReason | null;
  descriptionBefore: string | null;
  descriptionAfter: string | null;
  /** As Postgres writes them. */
  startedAt: string;
  endedAt: string | null;
}

const BY_ID: FileOrder = { keys: [{ expression: sql`r.file_id`, type: 'uuid' }], order: 'asc' };

/**
 * One page of the files of a reprocessing, in the order of their ids.
 *
 * @throws AppError VALIDATION_FAILED for a cursor of another list
 */
export async function listReprocessedFiles(
  em: EntityManager,
  { row, processing }: ReprocessingState,
  {
    status,
    limit,
    cursor,
  }: { status?: ReprocessedFileStatus | undefined; limit: number; cursor?: string | undefined },
): Promise<{ files: ReprocessedFileResult[]; totalCount: number; nextCursor: string | null }> {
  const list = [row.id, status];
  const place = cursor === undefined ? undefined : readCursor(cursor, list, BY_ID);
  const among = status === undefined ? sql`true` : sql`r.status = ${status}`;
  const found = await em.execute<ReprocessedFileResult[]>(
    sql`select r.file_id as "fileId", f.filename, r.status, r.generation, r.components, r.error,
        r.description_before as "descriptionBefore", d.description as "descriptionAfter",
        r.started_at as "startedAt", r.ended_at as "endedAt"
      from reprocessing_files r join files f on f.id = r.file_id
      left join file_descriptions d on d.file_id = r.file_id and d.generation = r.generation
      where r.reprocessing_id = ${row.id} and ${among} and ${place ? afterSql(BY_ID, place) : sql`true`}
      order by r.file_id limit ${limit + 1}`,
  );
  const files = found.slice(0, limit);
  const last = files.at(-1);
  const { completedCount: completed, failedCount: failed, skippedCount: skipped } = row;
  const counts = { processing, completed, failed, skipped };
  return {
    files,
    totalCount: status ? counts[status] : processing + completed + failed + skipped,
    nextCursor: found.length > limit && last ? writeCursor(list, [last.fileId]) : null,
  };
}
