import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../db/entities/folders/folder.ts';
import { Project } from '../../db/entities/folders/project.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { deletionBlockers } from '../../domain/pipelines/index.ts';
import { BUSY_STATUSES } from '../../domain/trash/trash.ts';
import { isProjectRoot, lockFolderTree } from '../files/folders/folders.ts';
import { readSubtree, uuidArray } from '../files/folders/read-folders.ts';
import { isUuid } from '../shared/sql.ts';
import type { DeleteDeps } from './delete-files.ts';
import { heldError } from './file-holds.ts';
import { emptyFolder } from './empty-folders.ts';
import { createFindHalted, DocumentsBusy, isAmong, unlessBusy, type RunPosition } from './busy-documents.ts';

/** Time in which a request moves files to the trash; the sweep does the rest. */
const REQUEST_MS = 15_000;
/** Documents in use listed in an error. */
const NAMED = 5;
/** Documents in progress checked; if there are more, some of them are certainly being read. */
const LOOKED_AT = 1000;

export interface FolderDeletion {
  deletedAt: Date;
  /** The folder and those below it. */
  folders: number;
  /** Files that this request moved to the trash. */
  files: number;
  /** Files that follow in the background. */
  pendingFiles: number;
}

interface Deleted {
  deletedAt: Date;
  folderIds: string[];
}

/**
 * Deletes a folder. With `recursive`, also its contents: the folders at once, in one short transaction after which
 * nothing can be added to them; then the files, each moved to the trash on its own as by `deleteFile`. The sweep, or a
 * repeat of the request, continues what did not fit into the request or was interrupted by a crash.
 *
 * @param milliseconds how long to move files to the trash
 * @throws AppError NOT_FOUND, also when it was deleted before and is empty; FOLDER_NOT_EMPTY; FILE_HELD; PROJECT_ROOT;
 *   WORK_IN_PROGRESS when documents in it are being read, in which case nothing is deleted
 */
export async function deleteFolder(
  deps: DeleteDeps,
  tenantId: string,
  folderId: string,
  recursive: boolean,
  milliseconds = REQUEST_MS,
): Promise<FolderDeletion> {
  const deleted = await markUnlessRead(deps, async (tx, halted) => {
    await lockFolderTree(tx, tenantId);
    const folder = await findDeletable(tx, tenantId, folderId);
    if (!folder.deletedAt && isProjectRoot(folder)) {
      throw new AppError('PROJECT_ROOT', 'this folder belongs to its project; delete the project instead');
    }
    return markDeleted(tx, folder, recursive, halted);
  });
  return empty(deps, tenantId, deleted, milliseconds);
}

/**
 * Deletes a project with its root folder, in the same way.
 *
 * @throws AppError NOT_FOUND, FOLDER_NOT_EMPTY, FILE_HELD, WORK_IN_PROGRESS
 */
export async function deleteProject(
  deps: DeleteDeps,
  tenantId: string,
  projectId: string,
  recursive: boolean,
  milliseconds = REQUEST_MS,
): Promise<FolderDeletion> {
  const deleted = await markUnlessRead(deps, async (tx, halted) => {
    await lockFolderTree(tx, tenantId);
    const project = isUuid(projectId)
      ? await tx.findOne(Project, { tenantId, id: projectId.toLowerCase() })
      : null;
    if (!project) throw notFound('project');
    const folder = await findDeletable(tx, tenantId, project.rootFolderId, 'project');
    const marked = await markDeleted(tx, folder, recursive, halted);
    project.deletedAt ??= marked.deletedAt;
    return marked;
  });
  return empty(deps, tenantId, deleted, milliseconds);
}

function markUnlessRead(
  { em, engine }: DeleteDeps,
  mark: (tx: EntityManager, halted: readonly RunPosition[]) => Promise<Deleted>,
): Promise<Deleted> {
  return unlessBusy(createFindHalted(engine), (halted) => em.transactional((tx) => mark(tx, halted)));
}

/** A live folder, or a deleted one whose files are not all in the trash yet. */
async function findDeletable(
  tx: EntityManager,
  tenantId: string,
  id: string,
  what = 'folder',
): Promise<Folder> {
  const folder = isUuid(id) ? await tx.findOne(Folder, { tenantId, id: id.toLowerCase() }) : null;
  if (!folder || (folder.deletedAt && !(await isEmptying(tx, folder)))) throw notFound(what);
  return folder;
}

async function isEmptying(tx: EntityManager, folder: Folder): Promise<boolean> {
  const folderIds = await readDeletedTree(tx, folder);
  const due = await tx.count(Folder, {
    tenantId: folder.tenantId,
    id: { $in: folderIds },
    emptyDueAt: { $ne: null },
  });
  return due > 0;
}

/** Marks a folder and those below it as deleted, unless it is already. */
async function markDeleted(
  tx: EntityManager,
  folder: Folder,
  recursive: boolean,
  halted: readonly RunPosition[],
): Promise<Deleted> {
  const { tenantId, id } = folder;
  if (folder.deletedAt) {
    return { deletedAt: folder.deletedAt, folderIds: await readDeletedTree(tx, folder) };
  }
  const { ids: folderIds } = await readSubtree(tx, tenantId, id);
  const all = uuidArray(folderIds);
  // Waits for files being added, and blocks others until the commit; after it the folder is gone for them.
  await tx.execute(
    'select 1 from folders where tenant_id = ? and id = any(?::uuid[]) order by id for update',
    [tenantId, all],
  );
  if (recursive) {
    await rejectHeldFiles(tx, tenantId, all);
    await rejectBusyDocuments(tx, tenantId, all, halted);
  } else await rejectNotEmpty(tx, tenantId, id, folderIds.length - 1);
  const deletedAt = new Date();
  await tx.execute(
    `update folders set deleted_at = ?, empty_due_at = ? where tenant_id = ? and id = any(?::uuid[])`,
    [deletedAt, recursive ? deletedAt : null, tenantId, all],
  );
  return { deletedAt, folderIds };
}

async function rejectNotEmpty(
  tx: EntityManager,
  tenantId: string,
  folderId: string,
  subfolders: number,
): Promise<void> {
  const [row] = await tx.execute<{ count: string }[]>(
    'select count(*) from files where tenant_id = ? and folder_id = ? and deleted_at is null',
    [tenantId, folderId],
  );
  const files = Number(row?.count);
  if (files + subfolders === 0) return;
  throw new AppError(
    'FOLDER_NOT_EMPTY',
    `${files} files in the folder and ${subfolders} folders below it; empty it, or delete it with recursive=true`,
  );
}

async function rejectHeldFiles(tx: EntityManager, tenantId: string, folderIds: string): Promise<void> {
  const held = await tx.execute<{ id: string }[]>(
    `select id from files
     where id in (select held_files(?)) and folder_id = any(?::uuid[]) and deleted_at is null
     order by id limit ?`,
    [tenantId, folderIds, NAMED + 1],
  );
  if (held.length === 0) return;
  const named = held.slice(0, NAMED).map(({ id }) => id);
  throw heldError(
    `nothing was deleted: files in it are held (${named.join(', ')}${held.length > NAMED ? ', …' : ''})`,
  );
}

/** The contract requires 409 for such a document: a folder is deleted with all of its files, or not at all. */
async function rejectBusyDocuments(
  tx: EntityManager,
  tenantId: string,
  folderIds: string,
  halted: readonly RunPosition[],
): Promise<void> {
  const begun = await tx.execute<RunPosition[]>(
    `select id, generation, seq from files where tenant_id = ? and folder_id = any(?::uuid[]) and deleted_at is null
       and exists (
         select from jsonb_to_recordset(?::jsonb) as blocker ("mediaType" text, component text)
         where blocker."mediaType" = media_type
           and components -> blocker.component ->> 'status' in (${BUSY_STATUSES.map(() => '?').join()}))
     order by id limit ?`,
    [tenantId, folderIds, JSON.stringify(deletionBlockers()), ...BUSY_STATUSES, LOOKED_AT + 1],
  );
  const busy = begun.filter((document) => !isAmong(halted, document));
  if (busy.length === 0) return;
  const named = busy.slice(0, NAMED).map(({ id }) => id);
  throw new DocumentsBusy(
    `nothing was deleted: the text of documents in it is being extracted or embedded (${named.join(', ')}${busy.length > NAMED ? ', …' : ''})`,
    begun.slice(0, LOOKED_AT),
  );
}

/** The folders that were deleted together with this one. */
async function readDeletedTree(tx: EntityManager, { tenantId, id, deletedAt }: Folder): Promise<string[]> {
  const rows = await tx.execute<{ id: string }[]>(
    `with recursive tree as (
       select id from folders where tenant_id = ? and id = ?
       union all
       select child.id from tree join folders child on child.parent_id = tree.id
       where child.tenant_id = ? and child.deleted_at = ?
     ) select id from tree`,
    [tenantId, id, tenantId, deletedAt],
  );
  return rows.map((row) => row.id);
}

async function empty(
  deps: DeleteDeps,
  tenantId: string,
  { deletedAt, folderIds }: Deleted,
  milliseconds: number,
): Promise<FolderDeletion> {
  const until = Date.now() + milliseconds;
  let files = 0;
  for (const folder of await findDue(deps.em, tenantId, folderIds)) {
    files += (await emptyFolder(deps, folder, until)).moved;
  }
  const [row] = await deps.em.execute<{ count: string }[]>(
    'select count(*) from files where tenant_id = ? and folder_id = any(?::uuid[]) and deleted_at is null',
    [tenantId, uuidArray(folderIds)],
  );
  return { deletedAt, folders: folderIds.length, files, pendingFiles: Number(row?.count) };
}

function findDue(em: EntityManager, tenantId: string, folderIds: readonly string[]): Promise<Folder[]> {
  const due = { tenantId, id: { $in: [...folderIds] }, emptyDueAt: { $ne: null } };
  return em.find(Folder, due, { orderBy: { id: 'asc' } });
}
