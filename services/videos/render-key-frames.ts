import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder, RenderedImage } from '../../adapters/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { VideoRefused } from '../../adapters/video-reader/errors.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { keyFrameKeys, placeOf, variantKey } from '../../domain/object-keys.ts';
import { bestThumbnail } from '../../domain/videos/key-frames.ts';
import { MAX_KEY_FRAMES } from '../../domain/videos/scenes.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { checkTarget, findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import type { VideoDeps } from './find-scenes.ts';
import { findDetails, sourceOf } from './video-target.ts';

export interface RenderKeyFramesDeps extends VideoDeps {
  decoder: ImageDecoder;
}

/** Longer side of a key frame in pixels: small print is readable, see read-text.ts of images. */
const MAX_DIMENSION = 1920;

/**
 * Renders the chosen key frames one by one, then the variants of the best of them, which stands for the video. Each
 * frame is recorded, so a later attempt continues after the last one.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, and the errors of reader and decoder
 */
export async function renderKeyFrames(
  deps: RenderKeyFramesDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { em, objects, reader, decoder } = deps;
  const file = await findTarget(em, target);
  const { fileId, tenantId } = target;
  const details = await findDetails(em, fileId);
  const place = placeOf(tenantId, file.objectKey);
  const source = sourceOf(objects, file);
  const work = { tenantId, label: fileWorkflowId(fileId), signal };

  for (const { frameNumber, timeSeconds: atSeconds } of await listFrames(em, fileId, { objectKey: null })) {
    await checkTarget(em, target);
    const bytes = await reader.frame(source, { ...details, atSeconds, maxDimension: MAX_DIMENSION }, signal);
    if (bytes) await storeFrame(frameNumber, bytes, await decoder.render(bytes, work));
    else await dropFrame(frameNumber);
  }
  const frames = await listFrames(em, fileId);
  const best = bestThumbnail(frames);
  if (!best?.objectKey) throw new VideoRefused('VIDEO_UNREADABLE', 'no frame of the video can be decoded');
  await removeLeftovers(frames);
  const original = await objects.read(best.objectKey, { maxBytes: MAX_STREAMED_BYTES, signal });
  await storeThumbnail(best.frameNumber, await decoder.render(original, work));

  async function storeFrame(
    frameNumber: number,
    bytes: Uint8Array,
    { variants, blurHash, facts }: RenderedImage,
  ): Promise<void> {
    const keys = keyFrameKeys(place, fileId, frameNumber);
    const small = variants.find(({ type }) => type === 'small_256');
    if (!small) throw new Error('the decoder made no small picture');
    await putImage(objects, keys.objectKey, { bytes, contentType: 'image/jpeg' });
    await putImage(objects, keys.smallKey, small);
    await recordStep(em, target, {
      save: async (tx) =>
        void (await tx.nativeUpdate(
          VideoFrame,
          { fileId, frameNumber },
          { ...keys, blurHash, imageFacts: facts, updatedAt: new Date() },
        )),
    });
  }

  async function dropFrame(frameNumber: number): Promise<void> {
    await recordStep(em, target, {
      save: async (tx) => void (await tx.nativeDelete(VideoFrame, { fileId, frameNumber })),
    });
  }

  /** Key frames of an earlier analysis that had more of them. */
  async function removeLeftovers(kept: readonly VideoFrame[]): Promise<void> {
    const numbers = Array.from({ length: MAX_KEY_FRAMES }, (_, index) => index + 1).filter(
      (number) => !kept.some(({ frameNumber }) => frameNumber === number),
    );
    await objects.remove(numbers.flatMap((number) => Object.values(keyFrameKeys(place, fileId, number))));
  }

  async function storeThumbnail(frameNumber: number, { variants, blurHash }: RenderedImage): Promise<void> {
    await Promise.all(
      variants.map((variant) => putImage(objects, variantKey(place, fileId, variant.type), variant)),
    );
    const rows = variants.map(({ bytes, ...variant }) => ({
      ...variant,
      fileId,
      objectKey: variantKey(place, fileId, variant.type),
      sizeBytes: bytes.byteLength,
    }));
    await recordStep(em, target, {
      async save(tx) {
        await tx.upsertMany(FileVariant, rows);
        await tx.nativeUpdate(
          VideoDetails,
          { fileId },
          { thumbnailFrame: frameNumber, blurHash, updatedAt: new Date() },
        );
      },
    });
  }
}

/** The key frames of a video, by time. */
export function listFrames(
  em: EntityManager,
  fileId: string,
  filter: { objectKey?: null; visibleText?: null } = {},
): Promise<VideoFrame[]> {
  return em.find(VideoFrame, { fileId, ...filter }, { orderBy: { frameNumber: 'asc' }, refresh: true });
}

function putImage(
  objects: ObjectStore,
  key: string,
  { bytes, contentType }: { bytes: Uint8Array; contentType: string },
): Promise<void> {
  return objects.put(key, bytes, { contentType });
}
