import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/local-embedding.ts';
import { ObjectNotFound, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex, VectorPoint } from '../../adapters/vector-index/vector-index.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import type { MediaType } from '../../domain/media.ts';
import { removeDeleted, syncEntries, type RebuiltPage } from '../media/index-entries.ts';
import { FileGone, findTarget, type FileTarget } from '../processing/file-target.ts';
import { nameUuid } from '../shared/sql.ts';

export interface IndexImagesDeps {
  em: EntityManager;
  objects: ObjectStore;
  embedding: ImageEmbedding;
  vectors: VectorIndex;
}

/** Media in the similarity index, by their own image or their thumbnail. */
export const MEDIA_IN_INDEX: readonly MediaType[] = ['image', 'video'];

/** Small enough that a newly uploaded file waits at most a second for the index. */
const PAGE_SIZE = 50;

/**
 * Adds one image to the similarity index.
 *
 * @throws FileGone, also when it was deleted during indexing; VectorIndexError
 */
export async function indexImage(deps: IndexImagesDeps, target: FileTarget): Promise<void> {
  const file = await findTarget(deps.em, target);
  const indexed = await indexImages(deps, [file]);
  if (indexed === 0) throw new FileGone('the file or its variants were deleted during indexing');
}

/**
 * Syncs an image's entry in the similarity index with its row: removed if it is in the trash, present if it is live and
 * described. Idempotent.
 *
 * @throws VectorIndexError
 */
export function syncImage(deps: IndexImagesDeps, fileId: string): Promise<void> {
  return syncEntries(deps, fileId, async (file) => file.describedAt && indexImages(deps, [file]));
}

/**
 * Adds the next page of live, described images of all tenants to the similarity index, in id order. Idempotent, and
 * safe to run alongside uploads and deletions.
 */
export async function rebuildImagePage(deps: IndexImagesDeps, after?: string): Promise<RebuiltPage> {
  const files = await deps.em.find(
    StoredFile,
    {
      mediaType: { $in: [...MEDIA_IN_INDEX] },
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

/**
 * Upserts the vectors of images, one each. They are computed from a variant, so that no untrusted bytes are
 * decoded here. An image without its variant is skipped.
 *
 * Images deleted concurrently are removed again: a deletion marks the row first and then removes the vectors,
 * so one of the two always sees the other.
 *
 * @param unlessLeftOut rethrows the errors on which an unreadable image must not be skipped
 * @returns the number of these images in the index
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

/** The vector of an image, computed from its `small_256` variant. */
export async function imagePoint(
  embedding: ImageEmbedding,
  { fileId, tenantId }: { fileId: string; tenantId: string },
  image: Uint8Array,
): Promise<VectorPoint> {
  const vector = await embedding.embed(image);
  return { id: pointId(fileId, embedding.model), tenantId, fileId, kind: 'image', vector };
}

/** The id of an image's vector of one model: indexing again overwrites it; other models have separate ids. */
export function pointId(fileId: string, model: string): string {
  return nameUuid(`${fileId}/${model}`);
}

async function toPoint(
  { objects, embedding }: IndexImagesDeps,
  files: readonly Pick<StoredFile, 'id' | 'tenantId'>[],
  { fileId, objectKey }: FileVariant,
  unlessLeftOut: (error: unknown) => undefined,
): Promise<VectorPoint | undefined> {
  const tenantId = files.find(({ id }) => id === fileId)?.tenantId;
  const image = await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES }).catch(unlessLeftOut);
  if (!tenantId || !image) return undefined;
  return imagePoint(embedding, { fileId, tenantId }, image);
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ObjectNotFound)) throw error;
}

/** An unusable bucket of one tenant must not end the rebuild for all. */
function unlessUnreadable(error: unknown): undefined {
  return isBucketFailure(error) ? undefined : unlessGone(error);
}
