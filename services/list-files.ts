import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';

export const FILE_SORTS = ['created_at', 'content_created_at', 'title', 'size_bytes'] as const;

export interface FileListQuery {
  sortBy: (typeof FILE_SORTS)[number];
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = {
  created_at: 'createdAt',
  content_created_at: 'contentCreatedAt',
  title: 'title',
  size_bytes: 'sizeBytes',
} as const;

/** One page of a tenant's live files, and how many there are. Files without a value sort last; ties by id. */
export async function listFiles(
  em: EntityManager,
  tenantId: string,
  { sortBy, sortOrder, limit, offset }: FileListQuery,
): Promise<{ files: StoredFile[]; totalCount: number }> {
  const where = { tenantId, deletedAt: null };
  const [files, totalCount] = await Promise.all([
    em.find(StoredFile, where, {
      limit,
      offset,
      orderBy: [{ [COLUMNS[sortBy]]: `${sortOrder} nulls last` }, { id: sortOrder }],
    }),
    em.count(StoredFile, where),
  ]);
  return { files, totalCount };
}
