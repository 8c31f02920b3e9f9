import type { VideoErrorCode } from '../../domain/videos/video.ts';

/** The video cannot be analyzed. Not retryable; the message is shown to users. */
export class VideoRefused extends Error {
  override readonly name = 'VideoRefused';
  readonly code: VideoErrorCode;

  constructor(code: VideoErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A process that read the video crashed, possibly because of the video. */
export class VideoReaderCrashed extends Error {
  override readonly name = 'VideoReaderCrashed';
}

/** This machine has no ffmpeg and cannot fetch one, or cannot limit it. Retryable. */
export class FfmpegMissing extends Error {
  override readonly name = 'FfmpegMissing';
}
