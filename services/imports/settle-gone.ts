import { LockMode } from '@mikro-orm/core';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import type { FileImport } from '../../db/entities/imports/import.ts';
import type { FailureReason } from '../../domain/components.ts';
import { FILE_REMOVED } from '../../domain/imports.ts';
import { reconcileFileIfReachable } from '../processing/reconcile-file.ts';
import { deleteFiles, type DeleteDeps } from '../trash/delete-files.ts';
import { restoreFile, unlessGone } from '../trash/restore-file.ts';
import { addToTotals } from './count-items.ts';
import { forgetItems } from './forget-items.ts';
import { findImport, isCurrent, lockImport, type ImportRun } from './find-import.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

/** Items that are compared by one statement. */
const PAGE = 1_000;
/** Files that are discarded between two looks at whether the import is still open. */
const DISCARDED_AT_ONCE = 50;

interface Missing {
  id: string;
  key: string;
  file_id: string | null;
}

class FolderGone extends Error {}

/** The credits do not suffice for a file that comes back. */
export class CreditsShort extends Error {
  override readonly name = 'CreditsShort';
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * Marks imported items that the finished listing did not find: their version has gone from the source, or was replaced. Moves
 * their files to the trash where the import says so, except those that stand for another object of this pass, or whose
 * replacement could not be imported. After a pass that could not list everything, it marks none. Items that have come back get
 * their files back, unless a person has put those, or their folders, into the trash. Idempotent.
 *
 * @throws CreditsShort for a file that comes back and whose work has to be paid
 */
export async function settleGone(
  { em, engine }: DeleteDeps,
  run: ImportRun,
  { id: importId, tenantId, pass, partial, whenGone, apiKeyId }: FileImport,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: string) => void },
): Promise<void> {
  for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
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
    const missing = page.filter((item) => item.missing && !partial);
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
  if (!partial)
    await forgetItems(em.fork(), run, {
      pass,
      signal,
      onStep: () => onStep('looking for what is long gone'),
    });
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
    const file = await em.fork().findOne(StoredFile, { id, tenantId });
    // Another time is that of a person, or of a rule.
    const isOurs = file?.deletedAt?.getTime() === goneAt?.getTime();
    const restored = file && isOurs ? await restore(file) : [];
    for (const each of restored ?? [])
      await reconcileFileIfReachable({ em: em.fork(), engine }, each, 'bulk');
    if (!file || !restored) await endRemoved(id);
    else await em.fork().nativeUpdate(ImportItem, { id }, { goneAt: null });
  }

  /** @returns what came back: nothing if its folder was deleted meanwhile; undefined if it was removed for good */
  async function restore(file: StoredFile): Promise<StoredFile[] | undefined> {
    const { tier } = await em.fork().findOneOrFail(Tenant, tenantId);
    try {
      return await em.fork().transactional(async (tx) => {
        const restored = await restoreFile(tx, { tenantId, tier, apiKeyId }, file);
        if (restored.folderGone) throw new FolderGone();
        const [unpaid] = restored.unpaid;
        const shortage = unpaid && restored.file.components[unpaid]?.error;
        if (shortage) throw new CreditsShort(shortage);
        return [restored.file, ...restored.parts];
      });
    } catch (error) {
      if (error instanceof FolderGone) return [];
      return unlessGone(error);
    }
  }

  /** Its id is that of a file that was removed, so it cannot be imported again. */
  async function endRemoved(id: string): Promise<void> {
    await addToTotals(em.fork(), importId);
    await em.fork().transactional(async (tx) => {
      const row = await lockImport(tx, run);
      const item = await tx.findOneOrFail(ImportItem, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!isCurrent(row, run) || item.status !== 'imported') return;
      row.imported -= 1;
      row.bytes -= item.sizeBytes ?? 0;
      const ended = { status: 'skipped', reason: FILE_REMOVED, counted: false, endedAt: new Date() } as const;
      Object.assign(item, { ...ended, fileId: null, goneAt: null });
    });
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
