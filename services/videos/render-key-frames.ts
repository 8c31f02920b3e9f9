import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder, RenderedImage } from '../../engines/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { VideoRefused } from '../../engines/video-reader/errors.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { keyFrameKeys, placeOf, variantKey } from '../../domain/object-keys.ts';
import { bestThumbnail } from '../../domain/videos/key-frames.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import { checkTarget, findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { recordFileOperation, type FileOperationRecord } from '../usage/record-operation.ts';
import { TIME_SLICE_MS, TimeSliceOver } from './find-scenes.ts';
import { findDetails, sourceOf, type VideoDeps } from './probe-video.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export interface RenderKeyFramesDeps extends VideoDeps {
  decoder: ImageDecoder;
}

/** Longer side of a key frame in pixels; keeps small print readable, see images/read-text.ts. */
const MAX_DIMENSION = 1920;

/**
 * Renders the chosen key frames one by one, then the variants of the best one, which is the thumbnail. Each
 * finished frame is recorded, so a later attempt resumes with the next one.
 *
 * @throws TimeSliceOver; FileGone, UploadSessionPaused, UploadSessionCancelled, and the errors of the reader
 *   and the decoder
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
  const work = { tenantId, label: FILE_WORKFLOWS.of(fileId), signal };

  const sliceEnds = Date.now() + TIME_SLICE_MS;
  for (const { frameNumber, timeSeconds: atSeconds } of await listFrames(em, fileId, { objectKey: null })) {
    if (Date.now() > sliceEnds) throw new TimeSliceOver();
    await checkTarget(em, target);
    const bytes = await reader.frame(source, { ...details, atSeconds, maxDimension: MAX_DIMENSION }, signal);
    if (bytes) await storeFrame(frameNumber, bytes, await decoder.render(bytes, work));
    else await dropFrame(frameNumber);
  }
  const best = bestThumbnail(await listFrames(em, fileId));
  if (!best?.objectKey) throw new VideoRefused('VIDEO_UNREADABLE', 'no frame of the video can be decoded');
  const original = await objects.read(best.objectKey, { maxBytes: MAX_STREAMED_BYTES, signal });
  await storeThumbnail(best.frameNumber, await decoder.render(original, work));

  async function storeFrame(
    frameNumber: number,
    bytes: Uint8Array,
    { variants, blurHash, facts }: RenderedImage,
  ): Promise<void> {
    const keys = keyFrameKeys(place, fileId, frameNumber);
    const small = variants.find(({ type }) => type === 'small_256');
    if (!small) throw new Error('the decoder rendered no small variant');
    // A newer run may have started; its frames use the same keys.
    await checkTarget(em, target);
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

  async function storeThumbnail(frameNumber: number, { variants, blurHash }: RenderedImage): Promise<void> {
    await checkTarget(em, target);
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
        await recordFileOperation(tx, file, analysis(file));
      },
    });
  }
}

/** The analysis as one operation, recorded with its last step. */
function analysis({ components, createdAt }: StoredFile): FileOperationRecord {
  const began = components.video_analysis?.queuedAt;
  const durationMs = Math.max(0, Date.now() - (began ? new Date(began) : createdAt).getTime());
  return { operation: 'digitize', provider: 'local', model: 'video-reader-v1', usage: NO_TOKENS, durationMs };
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
