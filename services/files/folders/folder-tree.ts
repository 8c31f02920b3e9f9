import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_FOLDER_DEPTH } from '../../../domain/limits.ts';

/** A folder and all live ones below it. */
export interface Subtree {
  ids: string[];
  /** Levels, including the folder's own. */
  height: number;
}

/** The subtree of a folder, which itself may be deleted. Empty for an unknown one. */
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

/** The ids of a folder and of those above it, itself first; as many as it is deep. */
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
export async function readPaths(
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
