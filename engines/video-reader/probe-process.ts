/**
 * Entry module of the process that reads the index of one video without decoding frames. It holds no secrets;
 * the URL gives access to the bytes of this video only.
 */
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  MATROSKA,
  MP4,
  QTFF,
  WEBM,
  type InputVideoTrack,
} from 'mediabunny';
import {
  checkVideo,
  MAX_TRACKS,
  VIDEO_CODECS,
  type AudioTrack,
  type VideoCodec,
  type VideoFacts,
  type VideoRefusal,
} from '../../domain/videos/video.ts';
import { presentWithoutFragments, type ReadBytes } from './present-without-fragments.ts';

export interface ProbeRequest {
  url: string;
  sizeBytes: number;
}

/** `failed`: the bytes could not be read. */
export type ProbeReply =
  | { kind: 'probed'; facts: VideoFacts }
  | { kind: 'refused'; refusal: VideoRefusal }
  | { kind: 'failed'; message: string };

class ReadFailed extends Error {}

process.title = 'darkroom-video-probe';

export async function handle({ url, sizeBytes }: ProbeRequest): Promise<ProbeReply> {
  const readBytes: ReadBytes = (start, end) => readRange(url, start, end);
  const input = open(readBytes, sizeBytes);
  try {
    const checked = await probe(input, () => lastPieces(readBytes, sizeBytes));
    return 'facts' in checked
      ? { kind: 'probed', facts: checked.facts }
      : { kind: 'refused', refusal: checked.refusal };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ReadFailed) return { kind: 'failed', message };
    return refused('VIDEO_UNREADABLE', `the video cannot be read: ${message}`);
  } finally {
    input.dispose();
  }
}

function open(readBytes: ReadBytes, sizeBytes: number): Input {
  const source = new CustomSource({
    getSize: () => sizeBytes,
    read: readBytes,
    // The fragments of a video are far apart, so reading ahead would be wasted.
    prefetchProfile: 'fileSystem',
    handleUnhandledError: () => undefined,
  });
  return new Input({ source, formats: [MP4, QTFF, MATROSKA, WEBM] });
}

/**
 * The end of the last fragment in seconds; 0 if the video is not fragmented, or has no picture at its end.
 */
async function lastPieces(readBytes: ReadBytes, sizeBytes: number): Promise<number> {
  const shortened = await presentWithoutFragments(readBytes, sizeBytes);
  if (!shortened) return 0;
  const input = open(shortened, sizeBytes);
  try {
    const [video] = await input.getVideoTracks();
    return (await video?.computeDuration({ metadataOnly: true })) ?? 0;
  } finally {
    input.dispose();
  }
}

async function readRange(url: string, start: number, end: number): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` } });
    if (response.status !== 206) throw new Error(`the answer was ${response.status}`);
    return await response.bytes();
  } catch (cause) {
    throw new ReadFailed(`bytes ${start} to ${end} could not be read`, { cause });
  }
}

function refused(code: VideoRefusal['code'], message: string) {
  return { kind: 'refused' as const, refusal: { code, message } };
}

async function probe(input: Input, findEnd: () => Promise<number>): Promise<ReturnType<typeof checkVideo>> {
  const tracks = await input.getTracks();
  if (tracks.length === 0) {
    return refused('VIDEO_UNREADABLE', 'the video has no index of its tracks: the file is incomplete');
  }
  if (tracks.length > MAX_TRACKS) {
    return refused('VIDEO_TOO_COMPLEX', `the video has ${tracks.length} tracks, more than ${MAX_TRACKS}`);
  }
  // The first one, which ffmpeg decodes as well; players may prefer another.
  const [video] = await input.getVideoTracks();
  if (!video) return refused('VIDEO_WITHOUT_PICTURE', 'the file has no video track');
  const codec = await video.getCodec();
  const internal = nameOf(await video.getInternalCodecId()) ?? 'unknown';
  const { frameRate, hasVariableFrameRate } = await rateOf(video);
  const date = (await input.getMetadataTags().catch(() => undefined))?.date;
  return checkVideo({
    codec: codecOf(codec, internal),
    codecName: codec ?? internal,
    width: Math.round(await video.getDisplayWidth()),
    height: Math.round(await video.getDisplayHeight()),
    rotation: await video.getRotation(),
    durationSeconds: (await findEnd()) || (await video.computeDuration({ metadataOnly: true })),
    frameRate,
    hasVariableFrameRate,
    audioTracks: await audioOf(input),
    ...(date && date >= EARLIEST && date < LATEST && { createdAt: date.toISOString() }),
  });
}

/** Dates outside this range come from clocks that were never set. */
const [EARLIEST, LATEST] = [new Date('1971-01-01'), new Date('2100-01-01')];
const MAX_NAME = 40;
const MAX_RATE = 1_000_000;

/** A name from the container, reduced to printable ASCII; null if nothing is left. */
function nameOf(claimed: unknown): string | null {
  const text = typeof claimed === 'string' || typeof claimed === 'number' ? String(claimed) : '';
  return (
    text
      .replaceAll(/[^ -~]/g, '')
      .trim()
      .slice(0, MAX_NAME) || null
  );
}

/** The value if it is a whole number, otherwise 0. */
function countOf(claimed: number): number {
  return claimed > 0 ? Math.min(MAX_RATE, Math.round(claimed)) : 0;
}

const MPEG4 = /^(mp4v|xvid|divx|dx50|V_MPEG4\/ISO\/(SP|ASP|AP))$/i;

function codecOf(codec: string | null, internal: string): VideoCodec | undefined {
  if (codec === 'avc') return 'h264';
  if (codec === null) return MPEG4.test(internal) ? 'mpeg4' : undefined;
  return VIDEO_CODECS.find((known) => known === codec);
}

async function audioOf(input: Input): Promise<AudioTrack[]> {
  const tracks = await input.getAudioTracks();
  return Promise.all(
    tracks.map(async (track) => {
      const language = nameOf(await track.getLanguageCode());
      return {
        codec: (await track.getCodec()) ?? nameOf(await track.getInternalCodecId()),
        channels: countOf(await track.getNumberOfChannels()),
        sampleRate: countOf(await track.getSampleRate()),
        language: language === 'und' ? null : language,
      };
    }),
  );
}

/** Number of frames whose times are compared. */
const FRAMES = 300;
/** Containers round times to milliseconds. */
const ROUNDING_SECONDS = 0.0015;
/** Share of intervals that may deviate from the usual one at a constant frame rate. */
const STRAY = 0.05;

async function rateOf(video: InputVideoTrack): Promise<{ frameRate: number; hasVariableFrameRate: boolean }> {
  const times: number[] = [];
  const packets = new EncodedPacketSink(video).packets(undefined, undefined, { metadataOnly: true });
  for await (const { timestamp } of packets) if (times.push(timestamp) >= FRAMES) break;
  // Packets arrive in decoding order, not in the order of time.
  times.sort((a, b) => a - b);
  // Between the last ones, frames that are decoded later may be missing.
  const known = times.length < FRAMES ? times : times.slice(0, -16);
  const intervals = known.slice(1).map((time, at) => time - (known[at] ?? time));
  const [usual] = intervals.toSorted((a, b) => a - b).slice(Math.floor(intervals.length / 2));
  const span = (known.at(-1) ?? 0) - (known[0] ?? 0);
  if (!usual || span <= 0) return { frameRate: 0, hasVariableFrameRate: false };
  const stray = intervals.filter((each) => Math.abs(each - usual) > ROUNDING_SECONDS + usual * 0.1);
  return {
    frameRate: Math.min(MAX_RATE, Math.round((intervals.length / span) * 1000) / 1000),
    hasVariableFrameRate: stray.length > STRAY * intervals.length,
  };
}
