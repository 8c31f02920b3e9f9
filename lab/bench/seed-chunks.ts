import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { withDictionaries } from '../../engines/text-work/languages.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { DocumentChunk } from '../../db/entities/documents/document-chunk.ts';
import { replaceChunks, toChunks } from '../../services/documents/chunk-document.ts';
import type { Sentence } from './sentences.ts';

/** The chunks of one tenant that were written to Postgres and to the index. */
export interface SeededChunks {
  tenantId: string;
  documentIds: string[];
  /** In the order of the vectors. */
  ids: string[];
  vectors: Float32Array[];
}

interface ChunkSeed {
  tenantId: string;
  count: number;
  /** The name of the vector collection, which rows refer to. */
  collection: string;
  sentences: readonly Sentence[];
  /** Seeded pseudo-random numbers from 0 to 1. */
  dice: () => number;
  onBatch: (done: number) => void;
}

const CHUNKS_A_DOCUMENT = 50;
/** About 120 words. */
const SENTENCES_A_CHUNK = 8;
const VECTORS_A_WRITE = 500;

/**
 * Adds documents to a tenant, with chunks of randomly drawn sentences. The vector of a chunk is the normalised mean of
 * its sentences' vectors, which is close to the offline model's vector of the chunk: embedding all would take hours.
 *
 * @param index undefined for chunks without vectors in an index
 */
export async function seedChunks(
  em: EntityManager,
  index: VectorIndex | undefined,
  { tenantId, count, collection, sentences, dice, onBatch }: ChunkSeed,
): Promise<SeededChunks> {
  const seeded: SeededChunks = { tenantId, documentIds: [], ids: [], vectors: [] };
  const fileOf = new Map<string, string>();
  while (seeded.ids.length < count) {
    const fileId = randomUUID();
    seeded.documentIds.push(fileId);
    const drawn = Array.from({ length: Math.min(CHUNKS_A_DOCUMENT, count - seeded.ids.length) }, () =>
      Array.from(
        { length: SENTENCES_A_CHUNK },
        () => sentences[Math.floor(dice() * sentences.length)],
      ).filter((sentence) => sentence !== undefined),
    );
    const chunks = toChunks(
      fileId,
      withDictionaries(
        drawn.map((some, at) => ({
          content: some.map(({ text }) => text).join(' '),
          pageNumbers: [1 + (at >> 1)],
          headingPath: [`Handbook ${seeded.documentIds.length}`],
          tokenCount: 150,
          type: 'text',
          role: 'body',
          elements: [],
        })),
        'en',
      ),
    );
    await em.fork().transactional(async (tx) => {
      await insertDocument(tx, tenantId, fileId);
      await replaceChunks(tx, { fileId, tenantId }, chunks);
      await tx.nativeUpdate(DocumentChunk, { fileId }, { embeddingStatus: 'completed', collection });
    });
    for (const [at, { id }] of chunks.entries()) {
      fileOf.set(id, fileId);
      seeded.ids.push(id);
      seeded.vectors.push(meanVector((drawn[at] ?? []).map(({ vector }) => vector)));
    }
    onBatch(seeded.ids.length);
  }
  if (!index) return seeded;
  for (let first = 0; first < count; first += VECTORS_A_WRITE) {
    const some = seeded.ids.slice(first, first + VECTORS_A_WRITE);
    await index.upsert(
      some.map((id, at) => ({
        id,
        tenantId,
        fileId: fileOf.get(id) ?? '',
        kind: 'chunk',
        vector: [...(seeded.vectors[first + at] ?? [])],
      })),
    );
    onBatch(first + some.length);
  }
  return seeded;
}

async function insertDocument(em: EntityManager, tenantId: string, id: string): Promise<void> {
  await em.execute(
    `insert into files (id, tenant_id, media_type, content_type, format, filename, tags, content_category, size_bytes,
       sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
     values (?, ?, 'document', 'application/pdf', 'pdf', 'handbook.pdf', '{}', 'general', 1, md5(?) || md5(?), ?, '{}', 1,
       1, '{}', 'completed', now(), now())`,
    [id, tenantId, id, id, `${tenantId}/${id}`],
  );
  await em.execute(
    `insert into document_details (file_id, page_count, profile) values (?, ${CHUNKS_A_DOCUMENT / 2}, '{}')`,
    [id],
  );
}

/** The mean of vectors, normalised to length 1. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}

/** Indexes of the unit vectors that are nearest to `vector`, nearest first. */
export function nearestOf(vector: readonly number[], all: readonly Float32Array[], limit: number): number[] {
  return all
    .map((other, at) => ({
      at,
      near: other.reduce((sum, value, place) => sum + value * (vector[place] ?? 0), 0),
    }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, limit)
    .map(({ at }) => at);
}
