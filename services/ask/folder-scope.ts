import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_SEARCH_IDS } from '../../domain/limits.ts';
import type { ChunkSearch } from '../documents/search-chunks.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { resolveScope } from '../files/folders/resolve-scope.ts';
import { sql } from '../shared/sql.ts';

/**
 * What a search in a folder and those below it is limited to: the documents there, of the named ones if any, or the
 * folders themselves if they have more documents than a search can name.
 *
 * @throws AppError NOT_FOUND for a folder that is unknown, malformed or of another tenant
 */
export async function folderScope(
  em: EntityManager,
  tenantId: string,
  { folderId, documentIds }: { folderId: string; documentIds: readonly string[] | undefined },
): Promise<Pick<ChunkSearch, 'documentIds' | 'folderIds'>> {
  const scope = await resolveScope(em, tenantId, { folderId, includeSubfolders: true });
  if (!scope?.folderIds) return { documentIds };
  const { folderIds } = scope;
  const named = documentIds ? sql`and id = any(${uuidArray(documentIds)}::uuid[])` : sql``;
  const rows = await em.execute<{ id: string }[]>(sql`select id from files f
    where tenant_id = ${tenantId} and folder_id = any(${uuidArray(folderIds)}::uuid[]) and deleted_at is null ${named}
      and exists (select from document_chunks chunk where chunk.file_id = f.id)
    limit ${MAX_SEARCH_IDS + 1}`);
  return rows.length > MAX_SEARCH_IDS ? { folderIds } : { documentIds: rows.map(({ id }) => id) };
}
