import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import { countItems, type ImportCounts } from './count-items.ts';

const RECENT_ERRORS = 10;
const RATED_SECONDS = 60;
/** More than any import ends in that time. */
const MOST_RATED = 50_000;

/** An import with what it has reached. */
export interface ImportProgress {
  row: FileImport;
  counts: ImportCounts;
  /** Items that ended in the last minute. */
  endedAMinute: number;
  /** When everything will have ended at this rate; undefined while that cannot be told. */
  estimatedEnd: Date | undefined;
  recentErrors: ImportItem[];
}

export async function readProgress(em: EntityManager, row: FileImport): Promise<ImportProgress> {
  const counts = await countItems(em, row);
  const isRunning = row.status === 'running';
  const endedAMinute = isRunning ? await countEnded(em, row) : 0;
  const left = counts.found - counts.imported - counts.skipped - counts.failed;
  const known = isRunning && row.listed && endedAMinute > 0;
  const recentErrors = await em.find(
    ImportItem,
    { importId: row.id, status: 'failed' },
    { orderBy: { endedAt: 'desc' }, limit: RECENT_ERRORS },
  );
  return {
    row,
    counts,
    endedAMinute,
    estimatedEnd: known ? new Date(Date.now() + (left / endedAMinute) * 60_000) : undefined,
    recentErrors,
  };
}

/** By the last minute, or as much of it as the import has run. */
async function countEnded(em: EntityManager, { id, startedAt }: FileImport): Promise<number> {
  const ran = startedAt ? (Date.now() - startedAt.getTime()) / 1000 : 0;
  const seconds = Math.min(RATED_SECONDS, Math.max(1, ran));
  const [ended] = await em.execute<[{ items: number }]>(
    `select count(*)::int as items from (
       select 1 from import_items
       where import_id = ? and status <> 'pending' and ended_at > now() - make_interval(secs => ?) limit ?) recent`,
    [id, seconds, MOST_RATED],
  );
  return Math.round((ended.items / seconds) * 60);
}
