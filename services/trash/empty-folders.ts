import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../db/entities/folders/folder.ts';
import { TRASH_DAYS } from '../../domain/limits.ts';
import { deleteFiles, type DeleteDeps } from './delete-files.ts';
import { createFindHalted } from './busy-documents.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

/** Files moved between two checks of the time limit: a second or two of work. */
const PAGE = 25;
/** Folders per sweep. */
const SWEPT = 500;
const REMOVED_AT_ONCE = 500;

/**
 * Moves the files of a deleted folder to the trash, page by page and each in its own transaction, until a deadline. A
 * crash or the deadline interrupts between pages; a repeat continues there.
 *
 * @param until milliseconds, as of `Date.now()`
 */
export async function emptyFolder(
  deps: DeleteDeps,
  { tenantId, id: folderId }: Pick<Folder, 'tenantId' | 'id'>,
  until: number,
): Promise<{ moved: number; emptied: boolean }> {
  const findHalted = createFindHalted(deps.engine);
  let after = { created_at: '-infinity', id: BEFORE_ALL };
  let moved = 0;
  let refused = 0;
  while (Date.now() < until) {
    const page = await deps.em.execute<(typeof after)[]>(
      `select id, created_at::text as created_at from files
       where tenant_id = ? and folder_id = ? and deleted_at is null
         and (created_at, id) > (?::timestamptz, ?::uuid)
       order by created_at, id limit ?`,
      [tenantId, folderId, after.created_at, after.id, PAGE],
    );
    const ids = page.map(({ id }) => id);
    const deletions = await deleteFiles({ ...deps, em: deps.em.fork() }, tenantId, ids, { findHalted });
    moved += deletions.filter(({ outcome }) => outcome === 'deleted').length;
    refused += deletions.filter(({ outcome }) => outcome === 'refused').length;
    const last = page.at(-1);
    if (last && page.length === PAGE) {
      after = last;
    } else {
      // Refused files are tried again by the next sweep.
      const emptyDueAt = refused > 0 ? new Date() : null;
      await deps.em.nativeUpdate(Folder, { tenantId, id: folderId }, { emptyDueAt });
      return { moved, emptied: refused === 0 };
    }
  }
  return { moved, emptied: false };
}

/**
 * Continues deletions that a request did not finish.
 *
 * @param graceSeconds younger ones are left to the request
 * @param until milliseconds, as of `Date.now()`
 * @returns how many files were moved
 */
export async function emptyDeletedFolders(
  deps: DeleteDeps,
  graceSeconds: number,
  until: number,
): Promise<number> {
  const before = new Date(Date.now() - graceSeconds * 1000);
  const due = await deps.em.find(
    Folder,
    { emptyDueAt: { $lt: before } },
    { orderBy: { emptyDueAt: 'asc' }, limit: SWEPT },
  );
  let moved = 0;
  for (const folder of due) moved += (await emptyFolder(deps, folder, until)).moved;
  return moved;
}

/**
 * Removes the rows of folders and projects that were deleted long ago, once nothing refers to them; files in the trash
 * still refer to theirs. Bounded; the next purge continues.
 *
 * @returns how many
 */
export async function removeDeletedFolders(em: EntityManager): Promise<number> {
  const unused = `folder.deleted_at < now() - make_interval(days => ?)
    and not exists (select from files where files.tenant_id = folder.tenant_id and files.folder_id = folder.id)
    and not exists (select from folders child where child.tenant_id = folder.tenant_id and child.parent_id = folder.id)`;
  let removed = 0;
  for (;;) {
    const folders: unknown[] = await em.execute(
      `delete from folders where (tenant_id, id) in (
         select folder.tenant_id, folder.id from folders folder where ${unused}
           and (folder.parent_id is not null or folder.project_id is null)
         order by folder.deleted_at limit ?)
       returning 1`,
      [TRASH_DAYS, REMOVED_AT_ONCE],
    );
    removed += folders.length;
    // Parents become removable after their children.
    if (folders.length === 0) break;
  }
  const roots: unknown[] = await em.execute(
    `with gone as (
       delete from projects project using folders folder
       where folder.tenant_id = project.tenant_id and folder.id = project.root_folder_id and ${unused}
         and not exists (select from folders other where other.tenant_id = project.tenant_id
           and other.project_id = project.id and other.id <> folder.id)
       returning project.tenant_id, project.root_folder_id)
     delete from folders using gone
     where folders.tenant_id = gone.tenant_id and folders.id = gone.root_folder_id returning 1`,
    [TRASH_DAYS],
  );
  return removed + roots.length;
}
