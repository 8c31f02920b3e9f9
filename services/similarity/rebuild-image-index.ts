import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { indexImages, unlessGone, type IndexImagesDeps } from './index-images.ts';

/** Small enough that a newly uploaded file waits a second at most for the index. */
const PAGE_SIZE = 50;

/** The result of one page of a rebuild. */
export interface RebuiltPage {
  indexed: number;
  /** Id to continue after; absent after the last page. */
  after?: string;
}

/**
 * Adds the next page of live, described images of all tenants to the similarity index, in id order. Idempotent, and
 * safe to run alongside uploads and deletions.
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
  const indexed = files.length > 0 ? await indexImages(deps, files, unlessUnreadable) : 0;
  const last = files.at(-1);
  return { indexed, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}

/** A tenant's own bucket that cannot be used must not end the rebuild of all. */
function unlessUnreadable(error: unknown): undefined {
  return isBucketFailure(error) ? undefined : unlessGone(error);
}
