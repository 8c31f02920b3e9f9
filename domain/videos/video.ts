/** Codecs whose frames are decoded, under the names that the API shows. */
export const VIDEO_CODECS = ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4'] as const;
export type VideoCodec = (typeof VIDEO_CODECS)[number];

/** Longer videos are refused: 12 hours. */
export const MAX_VIDEO_SECONDS = 43_200;
/** Larger frames are refused: 8K, since a decoder holds up to twenty frames in memory. */
export const MAX_FRAME_PIXELS = 8192 * 4320;
export const MAX_TRACKS = 64;

export interface AudioTrack {
  /** As named by the container; null if unnamed. */
  codec: string | null;
  channels: number;
  sampleRate: number;
  /** ISO 639-2; null if unknown. */
  language: string | null;
}

/** The facts about a video from its container, without decoding. */
export interface VideoFacts {
  durationSeconds: number;
  /** Frames per second, on average if it varies; 0 if unknown. */
  frameRate: number;
  hasVariableFrameRate: boolean;
  codec: VideoCodec;
  /** Place of the analyzed track among the video tracks, from 0. */
  track: number;
  /** Pixels, upright and with square pixels. */
  width: number;
  height: number;
  /** Clockwise rotation in degrees that players apply. */
  rotation: 0 | 90 | 180 | 270;
  audioTracks: AudioTrack[];
  /** ISO 8601; absent if the container has no creation time. */
  createdAt?: string;
}

/** Reasons why a video cannot be analyzed; none is retryable. */
export const VIDEO_ERRORS = [
  'VIDEO_UNREADABLE',
  'VIDEO_CODEC_UNSUPPORTED',
  'VIDEO_WITHOUT_PICTURE',
  'VIDEO_EMPTY',
  'VIDEO_TOO_LARGE',
  'VIDEO_TOO_LONG',
  'VIDEO_TOO_COMPLEX',
  'VIDEO_TOO_SLOW',
] as const;
export type VideoErrorCode = (typeof VIDEO_ERRORS)[number];
export interface VideoRefusal {
  code: VideoErrorCode;
  /** For people. */
  message: string;
}

/** The facts that a container claims, before they are checked. */
export interface ClaimedVideo extends Omit<VideoFacts, 'codec'> {
  codec: VideoCodec | undefined;
  /** As named by the container. */
  codecName: string;
}

/** Checks the claims of a container against the limits. */
export function checkVideo({
  codec,
  codecName,
  ...facts
}: ClaimedVideo): { facts: VideoFacts } | { refusal: VideoRefusal } {
  const refused = (code: VideoErrorCode, message: string) => ({ refusal: { code, message } });
  if (!codec) {
    const accepted = 'H.264, HEVC, VP8, VP9, AV1 and MPEG-4';
    return refused(
      'VIDEO_CODEC_UNSUPPORTED',
      `the codec of the video is ${codecName}, and only ${accepted} are analyzed`,
    );
  }
  const { width, height, durationSeconds } = facts;
  if (!(width > 0 && height > 0)) return refused('VIDEO_UNREADABLE', 'the video has frames without a size');
  if (width * height > MAX_FRAME_PIXELS) {
    return refused('VIDEO_TOO_LARGE', `its frames have ${width} × ${height} pixels, more than 8K`);
  }
  if (!(durationSeconds > 0)) return refused('VIDEO_EMPTY', 'the video has no frames');
  if (durationSeconds > MAX_VIDEO_SECONDS) {
    return refused('VIDEO_TOO_LONG', `the video claims to last more than ${MAX_VIDEO_SECONDS / 3600} hours`);
  }
  return { facts: { codec, ...facts } };
}

/** Formats a duration: `0:07`, `12:05` or `1:02:03`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
