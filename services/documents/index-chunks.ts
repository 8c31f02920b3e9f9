import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextEmbedding } from '../../adapters/models/text-embedding/text-embedding.ts';
import { isRefusal } from '../../adapters/models/model-error.ts';
import { collectionName } from '../../adapters/vector-index/config.ts';
import type { VectorCollection, VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { DocumentChunk } from '../../db/entities/documents/document-chunk.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { FileGone, findTarget, type FileTarget } from '../processing/file-target.ts';
import { removeDeleted, syncEntries, type LeftOut, type RebuiltPage } from '../media/index-entries.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { AppError } from '../../domain/app-error.ts';
import { mediaWithStep } from '../../domain/pipelines/index.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { retryFile } from '../processing/retry-file.ts';
import { startFileWork } from '../processing/start-file-work.ts';

/** The index of chunks, and the model of its vectors. */
export interface ChunkIndexDeps {
  em: EntityManager;
  textEmbedding: TextEmbedding;
  chunkVectors: VectorIndex;
}

/** About a second of the offline model; progress is recorded after each batch. */
const BATCH = 32;
/** Vectors looked up at a time. */
const LOOKED_UP = 500;

/** The vector collection of a model for texts. */
export function chunkCollection({
  model,
  dimension,
}: Pick<TextEmbedding, 'model' | 'dimension'>): VectorCollection {
  return { collection: collectionName('chunk', model, dimension), dimension, searchedByFile: true };
}

/** The embedded text of a chunk includes its headings, which name its subject. */
export function embeddedText({
  headingPath,
  content,
}: Pick<DocumentChunk, 'headingPath' | 'content'>): string {
  const above = headingPath.filter((heading) => !content.includes(heading));
  return [...above, content].join('\n');
}

/**
 * Writes the missing vectors of a document's chunks, and removes those of chunks that are gone.
 *
 * @throws FileGone, also if it was deleted in the meantime; UploadSessionPaused, UploadSessionCancelled, ModelError,
 *   VectorIndexError
 */
export async function indexChunks(
  deps: ChunkIndexDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(deps.em, target);
  let live: number;
  try {
    await indexDocument(deps, file, signal, async () => void (await findTarget(deps.em.fork(), target)));
  } finally {
    // Also after an interruption: a batch may have been written after the deletion had removed the vectors.
    live = await removeDeleted({ em: deps.em.fork(), vectors: deps.chunkVectors }, [target]);
  }
  if (live === 0) throw new FileGone('the document was deleted while it was indexed');
}

/**
 * Indexes a document that is not being processed. Ends early if it is in the trash; its rows are then not
 * marked as indexed, since its vectors are being removed.
 *
 * @param check called before each batch, to stop
 * @returns the number of vectors written
 */
export async function indexDocument(
  { em, textEmbedding, chunkVectors }: ChunkIndexDeps,
  { id: fileId, tenantId }: Pick<StoredFile, 'id' | 'tenantId'>,
  signal: AbortSignal,
  check: () => Promise<void> = async () => undefined,
): Promise<number> {
  const { collection } = chunkCollection(textEmbedding);
  let written = 0;
  for (;;) {
    const chunks = await em
      .fork()
      .find(
        DocumentChunk,
        { fileId, $or: [{ embeddingStatus: { $ne: 'completed' } }, { collection: { $ne: collection } }] },
        { orderBy: { chunkIndex: 'asc' }, limit: BATCH },
      );
    if (chunks.length === 0) break;
    await check();
    const ids = chunks.map(({ id }) => id);
    const vectors = await textEmbedding
      .embed(chunks.map(embeddedText), { role: 'passage', signal })
      .catch(async (error: unknown) => {
        if (isRefusal(error)) {
          await em.fork().nativeUpdate(DocumentChunk, { id: { $in: ids } }, { embeddingStatus: 'failed' });
        }
        throw error;
      });
    await chunkVectors.upsert(
      chunks.map(({ id }, at) => ({ id, tenantId, fileId, kind: 'chunk', vector: vectors[at] ?? [] })),
    );
    const recorded: unknown[] = await em.execute(
      // Under the row lock, so that no chunk of a file in the trash names a vector.
      `with live as (select from files where id = ? and deleted_at is null for share)
       update document_chunks set embedding_status = 'completed', collection = ?
       where id in (select jsonb_array_elements_text(?::jsonb)::uuid) and exists (select from live)
       returning 1`,
      [fileId, collection, JSON.stringify(ids)],
    );
    if (recorded.length === 0) break;
    written += recorded.length;
  }
  await removeStale({ em, chunkVectors }, { fileId, tenantId });
  return written;
}

/**
 * Syncs the vectors of a document with its row: removed if it is in the trash, present if it is live. Idempotent.
 *
 * @throws ModelError, VectorIndexError
 */
export function syncChunks(deps: ChunkIndexDeps, fileId: string, signal: AbortSignal): Promise<void> {
  const { em, chunkVectors: vectors } = deps;
  return syncEntries(
    { em, vectors },
    fileId,
    async (file) => {
      // A run that began after a restore may have recorded vectors that the removal deleted.
      await markMissing(deps, file);
      await indexDocument(deps, file, signal);
    },
    // Rows before vectors, so that an interrupted removal does not look like a complete index.
    () => em.nativeUpdate(DocumentChunk, { fileId }, { embeddingStatus: 'pending', collection: null }),
  );
}

/** Marks chunks for embedding again whose rows claim a vector in the index that it does not have. */
async function markMissing(
  { em, textEmbedding, chunkVectors }: ChunkIndexDeps,
  { id: fileId, tenantId }: Pick<StoredFile, 'id' | 'tenantId'>,
): Promise<void> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from document_chunks where file_id = ? and embedding_status = 'completed' and collection = ?`,
    [fileId, chunkCollection(textEmbedding).collection],
  );
  for (let start = 0; start < rows.length; start += LOOKED_UP) {
    const some = rows.slice(start, start + LOOKED_UP).map(({ id }) => id);
    const found = await chunkVectors.findMany({ tenantId, ids: some });
    const missing = some.filter((id) => !found.has(id));
    await em.execute(
      `update document_chunks set embedding_status = 'pending'
       where id in (select jsonb_array_elements_text(?::jsonb)::uuid)`,
      [JSON.stringify(missing)],
    );
  }
}

/** Removes the vectors of chunks that are gone. */
async function removeStale(
  { em, chunkVectors }: Omit<ChunkIndexDeps, 'textEmbedding'>,
  { fileId, tenantId }: { fileId: string; tenantId: string },
): Promise<void> {
  const [row] = await em.execute<{ stale: string[] }[]>(
    'select stale_chunks as stale from document_details where file_id = ?',
    [fileId],
  );
  if (!row || row.stale.length === 0) return;
  // A chunk may have been added again in the meantime.
  const back = await em.fork().find(DocumentChunk, { id: { $in: row.stale } }, { fields: ['id'] });
  const gone = row.stale.filter((id) => !back.some((chunk) => chunk.id === id));
  await chunkVectors.removePoints({ tenantId, ids: gone });
  await em.execute(
    `update document_details set stale_chunks = array(
       select unnest(stale_chunks) except select jsonb_array_elements_text(?::jsonb)::uuid) where file_id = ?`,
    [JSON.stringify(row.stale), fileId],
  );
}

/** Documents per page: a book alone may take minutes. */
const PAGE_SIZE = 10;

/**
 * Adds the missing chunks of the next page of live documents and links of all tenants to the index of the configured
 * model, in id order. A document whose failed digitization can be resumed is run again instead, since only its workflow
 * can complete it. Idempotent, and safe to run alongside uploads and deletions.
 */
export async function rebuildChunkPage(
  deps: ChunkIndexDeps & { engine: Engine },
  after: string | undefined,
  signal: AbortSignal,
): Promise<RebuiltPage> {
  const { em, engine, chunkVectors } = deps;
  const files = await em.find(
    StoredFile,
    {
      mediaType: { $in: mediaWithStep('indexChunks') },
      deletedAt: null,
      ...(after !== undefined && { id: { $gt: after } }),
    },
    { orderBy: { id: 'asc' }, limit: PAGE_SIZE, refresh: true },
  );
  let indexed = 0;
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    const { id, tenantId, components } = file;
    // Also for a document that is run again: its run indexes only chunks that its rows do not claim.
    await markMissing(deps, { id, tenantId });
    // If the text was not read either, a retry would read and charge the document again.
    if (components.digitization?.status === 'failed' && components.text_extraction?.status === 'completed') {
      await forgetFormer(deps, id);
      await digitizeAgain({ em: em.fork(), engine }, file);
      continue;
    }
    try {
      indexed += await indexDocument(deps, { id, tenantId }, signal);
    } catch (error) {
      // The chunks are marked as failed, and must not end the rebuild for the documents after them.
      if (!isRefusal(error)) throw error;
      await forgetFormer(deps, id);
      leftOut.push({ fileId: id, reason: error.message });
    }
  }
  const targets = files.map(({ id: fileId, tenantId }) => ({ fileId, tenantId }));
  if (targets.length > 0) await removeDeleted({ em, vectors: chunkVectors }, targets);
  const last = files.at(-1);
  return { indexed, leftOut, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}

/** Marks the chunks of a document that is left out: as long as they name former vectors, these serve for all. */
async function forgetFormer({ em, textEmbedding }: ChunkIndexDeps, fileId: string): Promise<void> {
  const { collection } = chunkCollection(textEmbedding);
  await em.nativeUpdate(
    DocumentChunk,
    { fileId, embeddingStatus: 'completed', collection: { $ne: collection } },
    { embeddingStatus: 'pending' },
  );
}

async function digitizeAgain(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, tenantId, primaryStatus }: StoredFile,
): Promise<void> {
  if (!isTerminalPrimary(primaryStatus)) return;
  const { tier } = await em.findOneOrFail(Tenant, tenantId);
  const file = await em.findOneOrFail(StoredFile, id);
  try {
    const reopened = await retryFile(em, { tenantId, tier }, file, { components: ['digitization'] });
    await startFileWork({ em, engine }, reopened.file, 'bulk');
  } catch (error) {
    // Retried or deleted meanwhile, or out of credits: must not block the documents of other accounts.
    if (!(error instanceof AppError)) throw error;
  }
}
