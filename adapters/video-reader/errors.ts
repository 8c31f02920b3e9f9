import type { VideoErrorCode } from '../../domain/videos/video.ts';

/** The video cannot be analyzed, whatever is tried; the message is for people. */
export class VideoRefused extends Error {
  override readonly name = 'VideoRefused';
  readonly code: VideoErrorCode;

  constructor(code: VideoErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A process that read the video crashed, maybe because of it. */
export class VideoReaderCrashed extends Error {
  override readonly name = 'VideoReaderCrashed';
}

/** There is no ffmpeg on this machine and none can be fetched; retryable. */
export class FfmpegMissing extends Error {
  override readonly name = 'FfmpegMissing';
}
