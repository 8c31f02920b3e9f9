import type { EntityManager } from '@mikro-orm/postgresql';
import type { Folder } from '../../../db/entities/folders/folder.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import { readPaths, uuidArray } from './folder-tree.ts';

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

/** Counted from the index alone: exact, and nothing to keep up to date with every upload. */
export function fileCountSql(tenantId: string, folderIds: readonly string[]): Sql {
  return sql`select folder_id, count(*) from files
    where tenant_id = ${tenantId} and folder_id = any(${uuidArray(folderIds)}::uuid[]) and deleted_at is null
    group by folder_id`;
}

/** The projects of folders, by folder id; those in no project are missing. */
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
