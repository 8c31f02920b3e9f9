import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { MEDIA_IN_INDEX, pointId } from './index-images.ts';

/** Extra hits requested, because the index may still contain deleted files. */
const SPARE = 20;

export interface SimilarDeps {
  em: EntityManager;
  /** The model of the vectors in the index. */
  embedding: Pick<ImageEmbedding, 'model'>;
  vectors: VectorIndex;
}

export interface SimilarFile {
  file: StoredFile;
  /** Cosine similarity, −1–1. */
  similarity: number;
}

/**
 * Live images of the same tenant that are most similar to this one, best first, excluding itself.
 *
 * @throws AppError WRONG_MEDIA_TYPE, NOT_INDEXED; VectorIndexError
 */
export async function findSimilar(
  { em, embedding, vectors }: SimilarDeps,
  file: StoredFile,
  limit: number,
): Promise<SimilarFile[]> {
  if (!MEDIA_IN_INDEX.includes(file.mediaType)) {
    throw new AppError('WRONG_MEDIA_TYPE', `${file.mediaType} files have no similar images`);
  }
  const { id, tenantId } = file;
  const vector = await vectors.find({ tenantId, id: pointId(id, embedding.model) });
  if (!vector) {
    const status = file.components.description?.status ?? 'skipped';
    const rebuilt = file.describedAt ? '; after a change of the model, a rebuild adds it' : '';
    throw new AppError(
      'NOT_INDEXED',
      `the ${file.mediaType} is not in the similarity index; its description, which puts it there, is ${status}${rebuilt}`,
    );
  }
  const hits = await vectors.search({
    vector,
    tenantId,
    limit: limit + SPARE,
    filter: { excludeFileId: id },
  });
  const files = await em.find(StoredFile, {
    id: { $in: hits.map(({ fileId }) => fileId) },
    tenantId,
    deletedAt: null,
  });
  return hits
    .flatMap(({ fileId, score }) => {
      const found = files.find((candidate) => candidate.id === fileId);
      return found ? [{ file: found, similarity: score }] : [];
    })
    .slice(0, limit);
}
