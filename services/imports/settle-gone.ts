import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { AppError } from '../../domain/app-error.ts';
import { reconcileFileIfReachable } from '../processing/reconcile-file.ts';
import { deleteFiles, type DeleteDeps } from '../trash/delete-files.ts';
import { restoreFile } from '../trash/restore-file.ts';
import { findImport, isCurrent, lockImport, type ImportRun } from './find-import.ts';

/** Items that are compared by one statement. */
const PAGE = 1_000;
/** Files that are discarded between two looks at whether the import is still open. */
const DISCARDED_AT_ONCE = 50;

interface Missing {
  id: string;
  key: string;
  file_id: string | null;
}

/**
 * Marks imported items that the finished listing did not find: their version has gone from the source, or was replaced. Moves
 * their files to the trash where the import says so, except those that stand for another object of this pass, or whose
 * replacement could not be imported. Items that have come back get their files back, unless a person has put those into the
 * trash. Idempotent.
 */
export async function settleGone(
  { em, engine }: DeleteDeps,
  run: ImportRun,
  { id: importId, tenantId, pass, whenGone, apiKeyId }: FileImport,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: string) => void },
): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
    const page: (Missing & { missing: boolean; back: boolean })[] = await em.fork().execute(
      `select id, key, file_id, pass < ? and gone_at is null as missing, pass = ? and gone_at is not null as back
       from import_items where import_id = ? and status = 'imported' and id > ? order by id limit ?`,
      [pass, pass, importId, after, PAGE],
    );
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
    for (const item of page.filter(({ back }) => back)) {
      signal.throwIfAborted();
      if (!isCurrent(await findImport(em.fork(), run), run)) return;
      await bringBack(item.id);
      onStep(`${item.key} has come back`);
    }
    const missing = page.filter((item) => item.missing);
    if (missing.length === 0) continue;
    const { replaced, shared } = await findNeeded(missing);
    const gone = missing.filter(({ key }) => !replaced.has(key));
    for (let at = 0; at < gone.length; at += DISCARDED_AT_ONCE) {
      signal.throwIfAborted();
      if (!isCurrent(await findImport(em.fork(), run), run)) return;
      const part = gone.slice(at, at + DISCARDED_AT_ONCE);
      const discarded = part.flatMap(({ file_id: id }) => (id === null || shared.has(id) ? [] : [id]));
      if (whenGone === 'trash') {
        await deleteFiles({ em: em.fork(), engine }, tenantId, discarded, {
          // The same time, by which it is told from a later deletion by a person.
          onMoved: (tx, { id, deletedAt }) => tx.nativeUpdate(ImportItem, { id }, { goneAt: deletedAt }),
        });
      }
      const rest = { id: { $in: part.map(({ id }) => id) }, goneAt: null };
      await em.fork().nativeUpdate(ImportItem, rest, { goneAt: new Date() });
      onStep(`${part.at(-1)?.key} has gone from the source`);
    }
  }
  await em.fork().transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (!isCurrent(row, run)) return;
    row.gone = await tx.count(ImportItem, { importId, goneAt: { $ne: null } });
    row.gonePass = pass;
    // What failed in an earlier pass and is still there is tried again.
    row.retryFailed = row.failed > 0;
  });

  /** @param id of an item that was imported, and of its file */
  async function bringBack(id: string): Promise<void> {
    const { goneAt } = await em.fork().findOneOrFail(ImportItem, id);
    const file = goneAt && (await em.fork().findOne(StoredFile, { id, tenantId, deletedAt: goneAt }));
    if (file) {
      const { tier } = await em.fork().findOneOrFail(Tenant, tenantId);
      const restored = await restoreFile(em.fork(), { tenantId, tier, apiKeyId }, file).catch(unlessPurged);
      for (const each of restored ? [restored.file, ...restored.parts] : [])
        await reconcileFileIfReachable({ em: em.fork(), engine }, each, 'bulk');
    }
    await em.fork().nativeUpdate(ImportItem, { id }, { goneAt: null });
  }

  /** Of missing items: keys with a version of this pass that failed, and files that an object of this pass duplicates. */
  async function findNeeded(missing: readonly Missing[]) {
    const needed = await em.fork().execute<{ key: string; file_id: string | null }[]>(
      `select key, file_id from import_items
       where import_id = ? and status in ('failed', 'skipped') and pass = ?
         and (key in (select jsonb_array_elements_text(?::jsonb))
           or file_id in (select jsonb_array_elements_text(?::jsonb)::uuid))`,
      [
        importId,
        pass,
        JSON.stringify(missing.map(({ key }) => key)),
        JSON.stringify(missing.flatMap(({ file_id: id }) => (id === null ? [] : [id]))),
      ],
    );
    return {
      replaced: new Set(needed.flatMap(({ key, file_id: id }) => (id === null ? [key] : []))),
      shared: new Set(needed.flatMap(({ file_id: id }) => (id === null ? [] : [id]))),
    };
  }
}

/** A file whose time in the trash is over stays gone. */
function unlessPurged(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}
