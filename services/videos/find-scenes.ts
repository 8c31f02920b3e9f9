import type { EntityManager } from '@mikro-orm/postgresql';
import { VideoRefused } from '../../engines/video-reader/errors.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { keyFrameKeys, placeOf } from '../../domain/object-keys.ts';
import { chooseKeyFrames, MAX_KEY_FRAMES, SceneScan, type SavedScan } from '../../domain/videos/scenes.ts';
import { checkTarget, findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { findDetails, sourceOf, type VideoDeps } from './probe-video.ts';

/** The time slice is used up; the video is queued again behind those of other accounts. */
export class TimeSliceOver extends Error {
  override readonly name = 'TimeSliceOver';

  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds = 1) {
    super('the time slice of the video is over');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Interval of the saves: the decoding that is lost when a worker is killed. */
const SAVE_EVERY_MS = 2_000;
/** How long an attempt decodes: beyond it, only the engine's order decides who is next. */
export const TIME_SLICE_MS = 60_000;
/** Minimum progress of an attempt in seconds of video, even beyond its time slice. */
const LEAST_PROGRESS_SECONDS = 5;
/** Enough for the remaining steps of a short video of another account. */
const AWAY_SECONDS = 5;

/**
 * Decodes a video once, divides it into scenes and chooses its key frames. Progress is saved every few
 * seconds; a later attempt resumes from there. The attempt ends at a save when its time slice is over, or when
 * another account waits for a decoder.
 *
 * @throws TimeSliceOver; FileGone, UploadSessionPaused, UploadSessionCancelled, and the errors of the reader
 */
export async function findScenes(
  { em, objects, reader }: VideoDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, tenantId } = target;
  const details = await findDetails(em, fileId);
  if (details.scenesFound) return;
  const scan = new SceneScan(details.scan ?? undefined);
  let savedAt = Date.now();
  const fromSeconds = scan.state.scannedSeconds;
  const usedBefore = details.scan?.cpuSeconds ?? 0;
  let cpuSeconds = usedBefore;
  let first: { at: number; cpuSeconds: number } | undefined;

  function endTimeSlice(at: number): void {
    if (!first || at <= fromSeconds) return;
    // Decoding starts at a sync frame that may be long before. A slice grows with the time that catching up took, so
    // that at least half of the work is progress.
    if (cpuSeconds - first.cpuSeconds < first.cpuSeconds - usedBefore) return;
    if (reader.isAwaitedByOthers(tenantId)) throw new TimeSliceOver(AWAY_SECONDS);
    if (Date.now() > first.at + TIME_SLICE_MS && at >= fromSeconds + LEAST_PROGRESS_SECONDS) {
      throw new TimeSliceOver();
    }
  }

  await reader.scan(
    sourceOf(objects, file),
    { ...details, fromSeconds, cpuSeconds },
    async (sample, signature, used) => {
      scan.add(sample, signature);
      cpuSeconds = used;
      first ??= { at: Date.now(), cpuSeconds: used };
      if (Date.now() - savedAt < SAVE_EVERY_MS) return;
      await checkTarget(em, target);
      await saveScan(em, target, { ...scan.state, cpuSeconds });
      savedAt = Date.now();
      endTimeSlice(sample.at);
    },
    signal,
  );
  const frames = chooseKeyFrames(scan.state.scenes);
  if (frames.length === 0)
    throw new VideoRefused('VIDEO_EMPTY', 'the video has no frame that can be decoded');
  await removeFrames(file);
  const updatedAt = new Date();
  await recordStep(em, target, {
    async save(tx) {
      await tx.insertMany(
        VideoFrame,
        frames.map(({ at }, index) => ({
          fileId,
          frameNumber: index + 1,
          timeSeconds: at,
          objectKey: null,
          smallKey: null,
          blurHash: null,
          imageFacts: null,
          visibleText: null,
          updatedAt,
        })),
      );
      await tx.nativeUpdate(
        VideoDetails,
        { fileId },
        { scan: { ...scan.state, cpuSeconds }, scenesFound: true, updatedAt },
      );
    },
  });

  /** Removes the frames of an earlier analysis; rows first, so that no row lacks its objects. */
  async function removeFrames({ objectKey }: StoredFile): Promise<void> {
    await recordStep(em, target, {
      save: async (tx) => void (await tx.nativeDelete(VideoFrame, { fileId })),
    });
    await checkTarget(em, target);
    const place = placeOf(target.tenantId, objectKey);
    const numbers = Array.from({ length: MAX_KEY_FRAMES }, (_, index) => index + 1);
    await objects.remove(numbers.flatMap((number) => Object.values(keyFrameKeys(place, fileId, number))));
  }
}

async function saveScan(em: EntityManager, target: FileTarget, scan: SavedScan): Promise<void> {
  await recordStep(em, target, {
    save: async (tx) =>
      void (await tx.nativeUpdate(VideoDetails, { fileId: target.fileId }, { scan, updatedAt: new Date() })),
  });
}
