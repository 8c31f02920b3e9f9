import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { findStep, mediaWithStep } from '../../domain/pipelines/index.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { MEDIA_IN_INDEX, pointId } from '../images/index-images.ts';
import { type AuditDeps, type Invariant, inBatches, inspect, walkFiles } from './invariant.ts';

const FILES_A_LOOKUP = 500;

/** Also holds while files are uploaded, processed and removed. */
export const vectors: Invariant = {
  id: 'I7',
  title: 'exactly one vector per live described image or video, and per chunk of a live document',
  async *check(deps) {
    const began = new Date();
    const expected = new Map<string, number>();
    const described = walkFiles(deps, {
      mediaType: { $in: [...MEDIA_IN_INDEX] },
      deletedAt: null,
      describedAt: { $ne: null },
    });
    for await (const batch of inBatches(described, FILES_A_LOOKUP)) {
      const completed = batch.filter(({ components }) => components.description?.status === 'completed');
      for (const [tenantId, files] of Map.groupBy(completed, (file) => file.tenantId)) {
        expected.set(tenantId, (expected.get(tenantId) ?? 0) + files.length);
        const vectorOf = new Map(files.map(({ id }) => [pointId(id, deps.imageModel), id]));
        const found = await deps.vectors.findMany({ tenantId, ids: [...vectorOf.keys()] });
        for (const [vectorId, id] of vectorOf) {
          if (!found.has(vectorId)) yield `file ${id} is described and has no vector`;
        }
      }
    }
    for (const [tenantId, count] of expected) {
      const stored = await deps.vectors.count({ tenantId });
      const changing = () => countChanging(deps, deps.vectors, tenantId, began);
      if (stored <= count || stored <= count + (await changing())) continue;
      yield `tenant ${tenantId} has ${stored} vectors for ${count} described images`;
    }
    yield* checkChunks(deps, began);
  },
};

/** Vectors of files in progress, or changed or deleted since the audit read their rows. */
async function countChanging(
  deps: AuditDeps,
  index: VectorIndex,
  tenantId: string,
  since: Date,
): Promise<number> {
  const fileIds: string[] = [];
  const after = { $gte: since };
  const changing = [{ primaryStatus: { $in: OPEN_STATUSES } }, { updatedAt: after }, { deletedAt: after }];
  for await (const { id } of walkFiles(deps, { tenantId, $or: changing })) fileIds.push(id);
  return fileIds.length === 0 ? 0 : index.count({ tenantId, fileIds });
}

/**
 * Chunks 0..n−1 once each, each with its vector, and no vector without a chunk. A document or link whose
 * indexing failed or was cut short may lack some vectors, and still have some of former chunks.
 */
async function* checkChunks(deps: AuditDeps, began: Date): AsyncGenerator<string> {
  const allowed = new Map<string, number>();
  const documents = walkFiles(deps, {
    mediaType: { $in: mediaWithStep('indexChunks') },
    deletedAt: null,
  });
  yield* inspect(documents, async ({ id, tenantId, mediaType, components }) => {
    const em = deps.em();
    const chunks = await em.execute<{ id: string; index: number }[]>(
      'select id, chunk_index as index from document_chunks where file_id = ? order by chunk_index',
      [id],
    );
    const [stale] = await em.execute<{ count: number }[]>(
      'select cardinality(stale_chunks) as count from document_details where file_id = ?',
      [id],
    );
    allowed.set(tenantId, (allowed.get(tenantId) ?? 0) + chunks.length + (stale?.count ?? 0));
    const indexed = findStep(mediaType, 'indexChunks')?.component.name;
    if (!indexed || components[indexed]?.status !== 'completed') return undefined;
    if (chunks.some(({ index }, at) => index !== at))
      return `the chunks of file ${id} are not numbered from 0`;
    const found = await deps.chunkVectors.findMany({ tenantId, ids: chunks.map((chunk) => chunk.id) });
    const missing = chunks.length - found.size;
    return missing === 0 ? undefined : `file ${id} has ${missing} chunks without a vector`;
  });
  for (const [tenantId, count] of allowed) {
    const stored = await deps.chunkVectors.count({ tenantId });
    const changing = () => countChanging(deps, deps.chunkVectors, tenantId, began);
    if (stored <= count || stored <= count + (await changing())) continue;
    yield `tenant ${tenantId} has ${stored} vectors for ${count} chunks`;
  }
}
