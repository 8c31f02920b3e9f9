import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileImport } from '../../db/entities/imports/import.ts';

/** What an import has reached, exactly. */
export interface ImportCounts {
  found: number;
  imported: number;
  skipped: number;
  failed: number;
  /** Numbers of skipped and failed items by the code of their reason. */
  reasons: Record<string, number>;
  bytes: number;
}

interface Tally {
  status: 'imported' | 'skipped' | 'failed';
  code: string | null;
  items: number;
  bytes: string;
}

const GROUPS = `status, reason->>'code' as code, count(*)::int as items, coalesce(sum(size_bytes), 0) as bytes`;

/** Adds the items that have ended since to the totals of an import, each once. */
export async function addToTotals(em: EntityManager, importId: string): Promise<void> {
  await em.transactional(async (tx) => {
    await tx.execute('select 1 from imports where id = ? for update', [importId]);
    const tallies = await tx.execute<Tally[]>(
      `with ended as (
         update import_items set counted = true
         where import_id = ? and status <> 'pending' and not counted returning status, reason, size_bytes)
       select ${GROUPS} from ended group by 1, 2`,
      [importId],
    );
    if (tallies.length === 0) return;
    const [row] = await tx.execute<(ImportCounts & { bytes: string })[]>(
      'select found, imported, skipped, failed, reasons, bytes from imports where id = ?',
      [importId],
    );
    if (!row) return;
    const sums = sumUp({ ...row, bytes: Number(row.bytes) }, tallies);
    await tx.execute(
      'update imports set imported = ?, skipped = ?, failed = ?, reasons = ?, bytes = ?, updated_at = now() where id = ?',
      [sums.imported, sums.skipped, sums.failed, JSON.stringify(sums.reasons), sums.bytes, importId],
    );
  });
}

/**
 * Removes counted items that have ended, and that an earlier pass than this one was the last to find, with their part in the totals.
 *
 * @param row locked
 */
export async function takeFromTotals(
  tx: EntityManager,
  row: FileImport,
  { ids, pass }: { ids: readonly string[]; pass: number },
): Promise<void> {
  const tallies = await tx.execute<Tally[]>(
    `with gone as (
       delete from import_items where counted and status <> 'pending' and pass < ?
         and id in (select jsonb_array_elements_text(?::jsonb)::uuid) returning status, reason, size_bytes)
     select ${GROUPS} from gone group by 1, 2`,
    [pass, JSON.stringify(ids)],
  );
  const negative = tallies.map((tally) => ({
    ...tally,
    items: -tally.items,
    bytes: String(-Number(tally.bytes)),
  }));
  const { found, imported, skipped, failed, reasons, bytes } = sumUp(row, negative);
  const gone = tallies.reduce((sum, { items }) => sum + items, 0);
  Object.assign(row, { found: found - gone, imported, skipped, failed, reasons, bytes });
}

/** The totals of an import with the items that are not counted yet. */
export async function countItems(em: EntityManager, row: FileImport): Promise<ImportCounts> {
  // One statement, so that no item is missed or counted twice while it moves between the two.
  const [read] = await em.execute<[{ totals: ImportCounts; tallies: Tally[] | null }]>(
    `select json_build_object('found', found, 'imported', imported, 'skipped', skipped, 'failed', failed,
         'reasons', reasons, 'bytes', bytes) as totals,
       (select json_agg(tally) from (
          select ${GROUPS} from import_items
          where import_id = imports.id and status <> 'pending' and not counted group by 1, 2) tally) as tallies
     from imports where id = ?`,
    [row.id],
  );
  return sumUp(read.totals, read.tallies ?? []);
}

function sumUp(
  { found, imported, skipped, failed, reasons, bytes: before }: ImportCounts,
  tallies: readonly Tally[],
): ImportCounts {
  const sums = { found, imported, skipped, failed, reasons: { ...reasons }, bytes: before };
  for (const { status, code, items, bytes } of tallies) {
    sums[status] += items;
    if (status === 'imported') sums.bytes += Number(bytes);
    else if (code !== null) sums.reasons[code] = (sums.reasons[code] ?? 0) + items;
  }
  sums.reasons = Object.fromEntries(Object.entries(sums.reasons).filter(([, items]) => items > 0));
  return sums;
}

/** Whether more items of an import wait than a number. */
export async function hasBacklog(em: EntityManager, importId: string, most: number): Promise<boolean> {
  const [row] = await em.execute<[{ waiting: number }]>(
    `select count(*)::int as waiting from (
       select 1 from import_items where import_id = ? and status = 'pending' limit ?) pending`,
    [importId, most + 1],
  );
  return row.waiting > most;
}
