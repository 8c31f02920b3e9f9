import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import { ObjectNotFound } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex, VectorPoint } from '../../adapters/vector-index/vector-index.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { pointId } from './point-id.ts';

export interface IndexImagesDeps {
  em: EntityManager;
  objects: ObjectStore;
  embedding: ImageEmbedding;
  vectors: VectorIndex;
}

/**
 * Upserts the vectors of images, one each. They are computed from a variant, so that no untrusted bytes are decoded
 * here. An image whose variant is gone is left out.
 *
 * Images deleted meanwhile are removed again: a deletion marks the row first and then removes the vectors, so one of
 * the two always sees the other.
 *
 * @param unlessLeftOut throws the error for which an image that cannot be read is not left out
 * @returns how many of them are in the index now
 * @throws VectorIndexError
 */
export async function indexImages(
  deps: IndexImagesDeps,
  files: readonly Pick<StoredFile, 'id' | 'tenantId'>[],
  unlessLeftOut: (error: unknown) => undefined = unlessGone,
): Promise<number> {
  const { em, vectors } = deps;
  const variants = await em.find(FileVariant, {
    fileId: { $in: files.map(({ id }) => id) },
    type: 'small_256',
  });
  const made = await Promise.all(variants.map((variant) => toPoint(deps, files, variant, unlessLeftOut)));
  const points = made.filter((point) => point !== undefined);
  await vectors.upsert(points);

  return removeDeleted({ em, vectors }, points);
}

/** Removes the vectors of files that were deleted while they were written. @returns how many files are live */
export async function removeDeleted(
  { em, vectors }: Pick<IndexImagesDeps, 'em' | 'vectors'>,
  files: readonly { fileId: string; tenantId: string }[],
): Promise<number> {
  const ids = files.map(({ fileId }) => fileId);
  const live = await em.find(StoredFile, { id: { $in: ids }, deletedAt: null }, { fields: ['id'] });
  for (const { fileId, tenantId } of files) {
    if (!live.some(({ id }) => id === fileId)) await vectors.remove({ tenantId, fileIds: [fileId] });
  }
  return live.length;
}

/** The vector of an image, computed from its `small_256` variant. */
export async function imagePoint(
  embedding: ImageEmbedding,
  { fileId, tenantId }: { fileId: string; tenantId: string },
  picture: Uint8Array,
): Promise<VectorPoint> {
  const vector = await embedding.embed(picture);
  return { id: pointId(fileId, embedding.model), tenantId, fileId, kind: 'image', vector };
}

async function toPoint(
  { objects, embedding }: IndexImagesDeps,
  files: readonly Pick<StoredFile, 'id' | 'tenantId'>[],
  { fileId, objectKey }: FileVariant,
  unlessLeftOut: (error: unknown) => undefined,
): Promise<VectorPoint | undefined> {
  const tenantId = files.find(({ id }) => id === fileId)?.tenantId;
  const picture = await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES }).catch(unlessLeftOut);
  if (!tenantId || !picture) return undefined;
  return imagePoint(embedding, { fileId, tenantId }, picture);
}

export function unlessGone(error: unknown): undefined {
  if (!(error instanceof ObjectNotFound)) throw error;
}
