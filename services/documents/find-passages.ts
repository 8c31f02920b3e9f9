import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassageRanker } from '../../adapters/models/passage-ranking/passage-ranker.ts';
import { MAX_SEARCH_IDS } from '../../domain/limits.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { resolveScope } from '../files/folders/resolve-scope.ts';
import { SearchDeadline } from '../files/search-deadline.ts';
import { sql } from '../shared/sql.ts';
import { searchChunks, type ChunkHits, type ChunkSearch } from './search-chunks.ts';
import type { ChunkModel } from './served-chunks.ts';

export interface PassageSearchDeps {
  em: EntityManager;
  /** The model and the vectors that searches use. */
  servedChunks: () => Promise<ChunkModel>;
  ranker: PassageRanker;
  /** Time limit of the whole search. */
  searchTimeoutMs: number;
  onDegraded: (error: unknown) => void;
}

export interface PassageSearch extends Omit<ChunkSearch, 'folderIds' | 'timeoutMs'> {
  /** Only documents in this folder and those below it. */
  folderId?: string | undefined;
}

/**
 * The passages of documents that match a query, best first: of those that are both named and in the folder, if given.
 *
 * @throws the errors of searchChunks; AppError NOT_FOUND for an unknown folder
 */
export async function findPassages(
  { em, servedChunks, ranker, searchTimeoutMs, onDegraded }: PassageSearchDeps,
  tenantId: string,
  { folderId, documentIds, ...search }: PassageSearch,
): Promise<ChunkHits> {
  const model = await servedChunks();
  const deadline = new SearchDeadline(searchTimeoutMs);
  const scope =
    folderId === undefined
      ? { documentIds }
      : await deadline.read(em, (tx) => folderScope(tx, tenantId, { folderId, documentIds }));
  return searchChunks({ em, ...model, ranker, onDegraded }, tenantId, {
    ...search,
    ...scope,
    timeoutMs: deadline.left(),
  });
}

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
