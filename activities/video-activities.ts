import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import { FfmpegMissing, VideoReaderCrashed, VideoRefused } from '../engines/video-reader/errors.ts';
import type { VideoReader } from '../engines/video-reader/video-reader.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import type { ReadTextDeps } from '../services/images/read-text.ts';
import { findScenes, TimeSliceOver } from '../services/videos/find-scenes.ts';
import { probeVideo } from '../services/videos/probe-video.ts';
import { readFrameText } from '../services/videos/read-frame-text.ts';
import { renderKeyFrames } from '../services/videos/render-key-frames.ts';
import { FAIR_SHARE_EXCEEDED } from '../temporal/contract/failures.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyImageFailure, classifyRecognitionFailure } from './classify-failures.ts';

export interface VideoActivityDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
  videoReader: VideoReader;
}

/**
 * Creates the video activities, which have their own queue, `video`: each takes minutes, and no image waits
 * behind it.
 */
export function createVideoActivities({ orm, objects, decoder, videoReader: reader }: VideoActivityDeps) {
  const deps = () => ({ em: orm.em.fork(), objects, decoder, reader });
  return {
    probeVideo: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => probeVideo(deps(), target, signal), classifyVideoFailure),

    findScenes: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => findScenes(deps(), target, signal), classifyVideoFailure),

    renderKeyFrames: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => renderKeyFrames(deps(), target, signal), classifyVideoFailure),
  };
}

/** Text recognition in key frames, on the `ocr` queue. */
export function createFrameTextActivities({ orm, ...deps }: Omit<ReadTextDeps, 'em'> & { orm: Orm }) {
  return {
    readFrameText: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => readFrameText({ em: orm.em.fork(), ...deps }, target, signal),
        classifyRecognitionFailure,
      ),
  };
}

/**
 * Retry interval of a video while no ffmpeg is found. Looking for it is cheap; fetching it has its own
 * interval.
 */
const RETRY_SECONDS = 10;

function classifyVideoFailure(error: unknown): FailureClass | undefined {
  if (error instanceof VideoRefused) return { kind: 'permanent', code: error.code, message: error.message };
  if (error instanceof TimeSliceOver) {
    const { message, retryAfterSeconds } = error;
    return { kind: 'retryable', code: FAIR_SHARE_EXCEEDED, message, retryAfterSeconds, expected: true };
  }
  if (error instanceof FfmpegMissing) {
    const { message } = error;
    return { kind: 'retryable', code: 'FFMPEG_MISSING', message, retryAfterSeconds: RETRY_SECONDS };
  }
  if (error instanceof VideoReaderCrashed) {
    return { kind: 'counted', code: 'VIDEO_READER_CRASHED', message: 'the reader crashed on this video' };
  }
  return classifyImageFailure(error);
}
