import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { removeDeleted } from '../similarity/index-images.ts';
import type { RebuiltPage } from '../similarity/rebuild-image-index.ts';
import { indexDocument, markMissing, type ChunkIndexDeps } from './index-chunks.ts';

/** Documents of one page: a book alone may take minutes. */
const PAGE_SIZE = 10;

/**
 * Adds the chunks of the next page of live documents of all tenants to the index of the configured model, in id order.
 * Those that the index has are left alone. Idempotent, and safe to run alongside uploads and deletions.
 */
export async function rebuildChunkPage(
  deps: ChunkIndexDeps,
  after: string | undefined,
  signal: AbortSignal,
): Promise<RebuiltPage> {
  const { em, chunkVectors } = deps;
  const files = await em.find(
    StoredFile,
    { mediaType: 'document', deletedAt: null, ...(after !== undefined && { id: { $gt: after } }) },
    { fields: ['id', 'tenantId'], orderBy: { id: 'asc' }, limit: PAGE_SIZE },
  );
  let indexed = 0;
  for (const { id, tenantId } of files) {
    await markMissing(deps, { id, tenantId });
    indexed += await indexDocument(deps, { id, tenantId }, signal);
  }
  const targets = files.map(({ id: fileId, tenantId }) => ({ fileId, tenantId }));
  if (targets.length > 0) await removeDeleted({ em, vectors: chunkVectors }, targets);
  const last = files.at(-1);
  return { indexed, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}

/** Rows say which chunks an index has; one that was lost has none of them. */
