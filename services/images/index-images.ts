import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import { isRefusal } from '../../adapters/models/model-error.ts';
import { ImageRefused } from '../../engines/image-decoder/errors.ts';
import {
  ObjectNotFound,
  ObjectTooLarge,
  type ObjectStore,
} from '../../adapters/object-store/object-store.ts';
import type { VectorIndex, VectorPoint } from '../../adapters/vector-index/vector-index.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import type { MediaType } from '../../domain/media.ts';
import { removeDeleted, syncEntries, type LeftOut, type RebuiltPage } from '../media/index-entries.ts';
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
/** Twice what a variant of noise with transparency has. In a tenant's own bucket, anything may have replaced it. */
const MAX_VARIANT_BYTES = 5 * 1024 * 1024;

/**
 * Adds one image to the similarity index.
 *
 * @throws FileGone, also when it was deleted during indexing; ModelError, VectorIndexError
 */
export async function indexImage(
  deps: IndexImagesDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(deps.em, target);
  const indexed = await indexImages(deps, [file], signal);
  if (indexed === 0) throw new FileGone('the file or its variants were deleted during indexing');
}

/**
 * Syncs an image's entry in the similarity index with its row: removed if it is in the trash, present if it is live and
 * described. Idempotent.
 *
 * @throws ModelError, VectorIndexError
 */
export function syncImage(deps: IndexImagesDeps, fileId: string, signal: AbortSignal): Promise<void> {
  return syncEntries(deps, fileId, async (file) => file.describedAt && indexImages(deps, [file], signal));
}

/**
 * Adds the missing images of the next page of live, described images of all tenants to the similarity index, in id order.
 * Idempotent, and safe to run alongside uploads and deletions.
 */
export async function rebuildImagePage(
  deps: IndexImagesDeps,
  after: string | undefined,
  signal: AbortSignal,
): Promise<RebuiltPage> {
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
  const missing = await withoutVector(deps, files);
  const leftOut: LeftOut[] = [];
  const leaveOut: LeaveOut = (fileId, error) => {
    if (!isOfTheImage(error)) throw error;
    leftOut.push({ fileId, reason: error.message });
  };
  const indexed = missing.length > 0 ? await indexImages(deps, missing, signal, leaveOut) : 0;
  const last = files.at(-1);
  return { indexed, leftOut, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}

/** Gets the error for which an image has no vector, and throws it unless the image is left out. */
type LeaveOut = (fileId: string, error: unknown) => void;

type OwnedFile = Pick<StoredFile, 'id' | 'tenantId'>;

async function withoutVector(
  { embedding, vectors }: IndexImagesDeps,
  files: readonly OwnedFile[],
): Promise<OwnedFile[]> {
  const groups = [...Map.groupBy(files, ({ tenantId }) => tenantId)];
  const missing = await Promise.all(
    groups.map(async ([tenantId, own]) => {
      const ids = own.map(({ id }) => pointId(id, embedding.model));
      const found = await vectors.findMany({ tenantId, ids });
      return own.filter((_, at) => !found.has(ids[at] ?? ''));
    }),
  );
  return missing.flat();
}

/**
 * Upserts the vectors of images, one each, computed from a variant. An image without its variant is skipped.
 *
 * Images deleted concurrently are removed again: a deletion marks the row first and then removes the vectors,
 * so one of the two always sees the other.
 *
 * @returns the number of these images in the index
 * @throws ImageRefused, ObjectTooLarge for an unreadable variant; ModelError, VectorIndexError
 */
export async function indexImages(
  deps: IndexImagesDeps,
  files: readonly OwnedFile[],
  signal: AbortSignal,
  leaveOut: LeaveOut = unlessGone,
): Promise<number> {
  const { em, embedding, vectors } = deps;
  const variants = await em.find(FileVariant, {
    fileId: { $in: files.map(({ id }) => id) },
    type: embedding.variant,
  });
  const read = await Promise.all(variants.map((variant) => readImage(deps, files, variant, leaveOut)));
  const points = await imagePoints(
    embedding,
    read.filter((image) => image !== undefined),
    signal,
    leaveOut,
  );
  await vectors.upsert(points);
  return removeDeleted({ em, vectors }, points);
}

interface OwnedImage {
  fileId: string;
  tenantId: string;
  /** The variant that the model sees. */
  bytes: Uint8Array;
}

/**
 * The vectors of images. A call that the model refuses is divided until the images are found that it refuses.
 *
 * @throws ImageRefused for an image that cannot be read, unless it is left out; ModelError
 */
export async function imagePoints(
  embedding: ImageEmbedding,
  images: readonly OwnedImage[],
  signal: AbortSignal,
  leaveOut: LeaveOut = unlessGone,
): Promise<VectorPoint[]> {
  let vectors: (number[] | null)[];
  try {
    vectors = await embedding.embed(
      images.map(({ bytes }) => bytes),
      { signal },
    );
  } catch (error) {
    const [only] = images;
    if (!isRefusal(error) || !only) throw error;
    if (images.length === 1) {
      leaveOut(only.fileId, error);
      return [];
    }
    const middle = images.length >> 1;
    const first = await imagePoints(embedding, images.slice(0, middle), signal, leaveOut);
    return [...first, ...(await imagePoints(embedding, images.slice(middle), signal, leaveOut))];
  }
  return images.flatMap(({ fileId, tenantId }, at): VectorPoint[] => {
    const vector = vectors[at];
    if (vector) return [{ id: pointId(fileId, embedding.model), tenantId, fileId, kind: 'image', vector }];
    const detail = `its variant ${embedding.variant} cannot be decoded`;
    leaveOut(fileId, new ImageRefused('IMAGE_UNREADABLE', detail));
    return [];
  });
}

/** The id of an image's vector of one model: indexing again overwrites it; other models have separate ids. */
export function pointId(fileId: string, model: string): string {
  return nameUuid(`${fileId}/${model}`);
}

async function readImage(
  { objects }: IndexImagesDeps,
  files: readonly OwnedFile[],
  { fileId, objectKey }: FileVariant,
  leaveOut: LeaveOut,
): Promise<OwnedImage | undefined> {
  const tenantId = files.find(({ id }) => id === fileId)?.tenantId;
  try {
    const bytes = await objects.read(objectKey, { maxBytes: MAX_VARIANT_BYTES });
    return tenantId ? { fileId, tenantId, bytes } : undefined;
  } catch (error) {
    leaveOut(fileId, error);
    return undefined;
  }
}

function unlessGone(_fileId: string, error: unknown): void {
  if (!(error instanceof ObjectNotFound)) throw error;
}

/** Whether one image, or the bucket of its tenant, is the cause: it must not end the rebuild for all. */
function isOfTheImage(error: unknown): error is Error {
  const isOwn = [ImageRefused, ObjectTooLarge, ObjectNotFound].some((kind) => error instanceof kind);
  return isOwn || isBucketFailure(error) || isRefusal(error);
}
