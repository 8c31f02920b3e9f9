import type { EntityManager } from '@mikro-orm/postgresql';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { AppError } from '../../domain/app-error.ts';
import { moveToTrash } from '../trash/delete-files.ts';
import { isCurrent, lockImport, type ImportRun } from './find-import.ts';

const PAGE = 5_000;

/**
 * Marks imported items that the finished listing did not find: their version has gone from the source, or was replaced. Moves
 * their files to the trash where the import says so. Idempotent.
 */
export async function settleGone(
  em: EntityManager,
  run: ImportRun,
  { id: importId, tenantId, pass, whenGone }: FileImport,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: string) => void },
): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
    signal.throwIfAborted();
    const page: { id: string; file_id: string | null; missing: boolean }[] = await em.fork().execute(
      `select id, file_id, pass < ? and gone_at is null as missing from import_items
       where import_id = ? and status = 'imported' and id > ? order by id limit ?`,
      [pass, importId, after, PAGE],
    );
    const missing = page.filter((item) => item.missing);
    for (const [at, { file_id: fileId }] of missing.entries()) {
      if (whenGone !== 'trash' || fileId === null) continue;
      await discard(em.fork(), tenantId, fileId);
      onStep(`${at + 1} of ${missing.length} moved to the trash`);
    }
    const ids = missing.map(({ id }) => id);
    if (ids.length > 0) await em.nativeUpdate(ImportItem, { id: { $in: ids } }, { goneAt: new Date() });
    onStep('compared with what was imported before');
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  await em.fork().transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (!isCurrent(row, run)) return;
    row.gone = await tx.count(ImportItem, { importId, goneAt: { $ne: null } });
    row.gonePass = pass;
  });
}

/** Files that cannot be deleted, or are no longer there, stay as they are. */
async function discard(em: EntityManager, tenantId: string, fileId: string): Promise<void> {
  try {
    await moveToTrash(em, tenantId, fileId, 'all');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
