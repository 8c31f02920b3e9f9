import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_FOLDER_DEPTH } from '../../../domain/limits.ts';
import type { Folder } from '../../../db/entities/folders/folder.ts';
import { sql, type Sql } from '../../shared/sql.ts';

/** A folder and all live ones below it. */
interface Subtree {
  ids: string[];
  /** Levels, including the folder's own. */
  height: number;
}

/** The subtree of a folder, which may itself be deleted. Empty for an unknown folder. */
export async function readSubtree(em: EntityManager, tenantId: string, folderId: string): Promise<Subtree> {
  const rows = await em.execute<{ id: string; level: number }[]>(
    `with recursive tree as (
       select id, 1 as level from folders where tenant_id = ? and id = ?
       union all
       select child.id, tree.level + 1 from tree join folders child on child.parent_id = tree.id
       where child.tenant_id = ? and child.deleted_at is null and tree.level < ?
     ) select id, level from tree order by level, id`,
    [tenantId, folderId, tenantId, MAX_FOLDER_DEPTH],
  );
  return { ids: rows.map(({ id }) => id), height: rows.at(-1)?.level ?? 0 };
}

/** The ids of a folder and its ancestors, itself first. */
export async function readLineage(em: EntityManager, tenantId: string, folderId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `with recursive line as (
       select id, parent_id, 1 as level from folders where tenant_id = ? and id = ?
       union all
       select parent.id, parent.parent_id, line.level + 1 from line join folders parent on parent.id = line.parent_id
       where parent.tenant_id = ? and line.level < ?
     ) select id from line order by level`,
    [tenantId, folderId, tenantId, MAX_FOLDER_DEPTH],
  );
  return rows.map(({ id }) => id);
}

/** The path of each folder from the root, such as `/Harbour/2026`, by folder id. */
async function readPaths(
  em: EntityManager,
  tenantId: string,
  folderIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await em.execute<{ id: string; path: string }[]>(
    `with recursive line as (
       select id, parent_id, name, 1 as level from folders where tenant_id = ? and id = any(?::uuid[])
       union all
       select line.id, parent.parent_id, parent.name, line.level + 1
       from line join folders parent on parent.id = line.parent_id
       where parent.tenant_id = ? and line.level < ?
     ) select id, '/' || string_agg(name, '/' order by level desc) as path from line group by id`,
    [tenantId, uuidArray(folderIds), tenantId, MAX_FOLDER_DEPTH],
  );
  return new Map(rows.map(({ id, path }) => [id, path]));
}

/** Ids as one parameter, for `any(?::uuid[])`. */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}

/** A folder with its derived fields. */
export interface FolderView {
  folder: Folder;
  /** From the root, such as `/Harbour/2026`. */
  path: string;
  /** Live files directly in it. */
  fileCount: number;
}

/** Paths and counts of a page of folders, in one query each. */
export async function readFolders(
  em: EntityManager,
  tenantId: string,
  folders: readonly Folder[],
): Promise<FolderView[]> {
  if (folders.length === 0) return [];
  const ids = folders.map(({ id }) => id);
  const paths = await readPaths(em, tenantId, ids);
  const counts = await countFiles(em, tenantId, ids);
  return folders.map((folder) => ({
    folder,
    path: paths.get(folder.id) ?? `/${folder.name}`,
    fileCount: counts.get(folder.id) ?? 0,
  }));
}

/** One folder with its path and count. */
export async function readFolder(em: EntityManager, folder: Folder): Promise<FolderView> {
  const [view] = await readFolders(em, folder.tenantId, [folder]);
  return view ?? { folder, path: `/${folder.name}`, fileCount: 0 };
}

async function countFiles(
  em: EntityManager,
  tenantId: string,
  folderIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await em.execute<{ folder_id: string; count: string }[]>(fileCountSql(tenantId, folderIds));
  return new Map(rows.map(({ folder_id: id, count }) => [id, Number(count)]));
}

/** Counted from the index alone: exact, without a counter to update on every upload. */
export function fileCountSql(tenantId: string, folderIds: readonly string[]): Sql {
  return sql`select folder_id, count(*) from files
    where tenant_id = ${tenantId} and folder_id = any(${uuidArray(folderIds)}::uuid[]) and deleted_at is null
    group by folder_id`;
}

/** The projects of folders, by folder id; folders without a project are missing. */
export async function readProjectsOfFolders(
  em: EntityManager,
  tenantId: string,
  folderIds: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(folderIds.filter((id) => typeof id === 'string'))];
  if (ids.length === 0) return new Map();
  const rows = await em.execute<{ id: string; project_id: string }[]>(
    'select id, project_id from folders where tenant_id = ? and id = any(?::uuid[]) and project_id is not null',
    [tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, project_id: projectId }) => [id, projectId]));
}
