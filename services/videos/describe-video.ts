import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import type { VideoInput } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { VideoDetails } from '../../db/entities/videos/video-details.ts';
import type { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { addUsage } from '../../domain/token-usage.ts';
import { spread } from '../../domain/videos/scenes.ts';
import { classifyImage } from '../images/describe-image.ts';
import { visionInput } from '../images/vision-input.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import {
  describedBy,
  recordingFailure,
  recordStep,
  storePaidAnswer,
  tenantModel,
  type Description,
  type ModelDeps,
  type PaidAttempt,
} from '../processing/record-step.ts';
import { listFrames } from './render-key-frames.ts';
import { findDetails } from './probe-video.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export interface DescribeVideoDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** More frames would cost more than they add to the description. */
const MAX_IMAGES = 12;
/** Longer side of the frames for the model. */
const IMAGE_PIXELS = 768;

/**
 * Describes a video by its key frames, once per generation: an existing answer is not paid for again. For a
 * tenant that allows no provider, the description is made from measurements, and no data leaves the service.
 *
 * @throws FileGone, and the errors of the model and of the decoder
 */
export async function describeVideo(
  { em, objects, decoder, ...choice }: DescribeVideoDeps,
  target: FileTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, tenantId, generation } = target;
  if ((await em.count(FileDescription, { fileId, generation })) > 0) return;
  const details = await findDetails(em, fileId);
  const frames = await listFrames(em, fileId);
  const vision = await tenantModel(em, tenantId, choice);
  const { provider, model } = vision;

  async function imagesOf(chosen: readonly VideoFrame[]) {
    const images = [];
    for (const { timeSeconds, objectKey } of chosen) {
      if (!objectKey) continue;
      const frame = await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES, signal: attempt.signal });
      const work = { tenantId, label: FILE_WORKFLOWS.of(fileId), signal: attempt.signal };
      const { bytes, contentType } = await decoder.view(frame, { maxDimension: IMAGE_PIXELS, ...work });
      images.push({ timeSeconds, bytes, contentType });
    }
    return images;
  }

  async function ask(): Promise<Description> {
    const began = performance.now();
    const classification = await classify();
    const input = videoInput(file, details, frames, () => imagesOf(spread(frames, MAX_IMAGES)));
    const answer = await vision.describeVideo(input, { signal: attempt.signal });
    const usage = classification ? addUsage(classification.usage, answer.usage) : answer.usage;
    const durationMs = performance.now() - began;
    const category = classification?.category;
    return { provider, model, ...answer, usage, durationMs, ...(category && { category }) };
  }

  /** Classifies a video with the category `auto` by its thumbnail frame. */
  async function classify() {
    const frame = frames.find(({ frameNumber }) => frameNumber === details.thumbnailFrame);
    if (!frame?.imageFacts) return undefined;
    const image = async () => {
      const [loaded] = await imagesOf([frame]);
      if (!loaded) throw new Error('the key frame has no image');
      return loaded;
    };
    const { width, height } = details;
    return classifyImage(
      vision,
      visionInput(file, { image, facts: frame.imageFacts, width, height }),
      attempt.signal,
    );
  }

  await storePaidAnswer(
    attempt,
    () => recordingFailure(em, file, { operation: 'describe', provider, model }, ask),
    (description) => recordStep(em, target, describedBy(file, description)),
  );
}

function videoInput(
  { filename, visibleText }: StoredFile,
  details: VideoDetails,
  frames: readonly VideoFrame[],
  images: VideoInput['images'],
): VideoInput {
  const { durationSeconds, width, height, frameRate, codec, audioTracks, scan } = details;
  return {
    durationSeconds,
    width,
    height,
    frameRate,
    codec,
    audioTracks,
    filename,
    images,
    scenes: scan?.scenes.length ?? 1,
    keyFrames: frames.flatMap(({ timeSeconds, imageFacts: facts, visibleText: text }) =>
      facts ? [{ timeSeconds, facts, visibleText: text ?? '' }] : [],
    ),
    ...(visibleText && { visibleText }),
  };
}
