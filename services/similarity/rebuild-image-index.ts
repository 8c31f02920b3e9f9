import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { indexImages, type IndexImagesDeps } from './index-images.ts';

/** Small enough that a file which was just uploaded waits a second at most for its turn on the index. */
const PAGE_SIZE = 50;

/** What one page of a rebuild did. */
export interface RebuiltPage {
  indexed: number;
  /** Id to go on after; absent when this was the last page. */
  after?: string;
}

/**
 * Puts the next page of live, described images of all tenants back into the similarity index, in the order of their
 * ids. Safe to repeat, and beside uploads and deletions.
 */
export async function rebuildImagePage(deps: IndexImagesDeps, after?: string): Promise<RebuiltPage> {
  const files = await deps.em.find(
    StoredFile,
    {
      mediaType: 'image',
      deletedAt: null,
      describedAt: { $ne: null },
      ...(after !== undefined && { id: { $gt: after } }),
    },
    { fields: ['id', 'tenantId'], orderBy: { id: 'asc' }, limit: PAGE_SIZE },
  );
  const indexed = files.length > 0 ? await indexImages(deps, files) : 0;
  const last = files.at(-1);
  return { indexed, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}
