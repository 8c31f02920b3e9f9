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
import { firstMoment } from '../moments.ts';
import { headerDates } from './container-dates.ts';
import { presentWithFileType, type VideoBytes } from './present-with-file-type.ts';
import { presentWithoutFragments } from './present-without-fragments.ts';

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
  let input: Input | undefined;
  try {
    const bytes = await presentWithFileType({
      sizeBytes,
      readBytes: (start, end) => readRange(url, start, end),
    });
    input = open(bytes);
    const checked = await probe(input, bytes);
    return 'facts' in checked
      ? { kind: 'probed', facts: checked.facts }
      : { kind: 'refused', refusal: checked.refusal };
  } catch (error) {
    if (error instanceof ReadFailed) return { kind: 'failed', message: error.message };
    return refused('VIDEO_UNREADABLE', 'the video cannot be read: its index is damaged or incomplete');
  } finally {
    input?.dispose();
  }
}

function open({ readBytes, sizeBytes }: VideoBytes): Input {
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
 * The end of the last fragment of a track in seconds; 0 if the video is not fragmented, or has no picture at its end.
 */
async function lastPieces({ readBytes, sizeBytes }: VideoBytes, track: number): Promise<number> {
  const shortened = await presentWithoutFragments(readBytes, sizeBytes);
  if (!shortened) return 0;
  const input = open({ readBytes: shortened, sizeBytes });
  try {
    const video = (await input.getVideoTracks())[track];
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

async function probe(input: Input, bytes: VideoBytes): Promise<ReturnType<typeof checkVideo>> {
  const tracks = await input.getTracks();
  if (tracks.length === 0) {
    return refused('VIDEO_UNREADABLE', 'the video has no index of its tracks: the file is incomplete');
  }
  if (tracks.length > MAX_TRACKS) {
    return refused('VIDEO_TOO_COMPLEX', `the video has ${tracks.length} tracks, more than ${MAX_TRACKS}`);
  }
  const videos = await input.getVideoTracks();
  const video = await chooseTrack(videos);
  if (!video) return refused('VIDEO_WITHOUT_PICTURE', 'the file has no video track');
  const track = videos.indexOf(video);
  const codec = await video.getCodec();
  const internal = nameOf(await video.getInternalCodecId()) ?? 'unknown';
  const { frameRate, hasVariableFrameRate } = await rateOf(video);
  const createdAt = await creationOf(input, bytes);
  const end = (await lastPieces(bytes, track)) || (await video.computeDuration({ metadataOnly: true }));
  // Time stamps of a clip from a longer recording may go on from it.
  const start = Math.max(0, await input.getFirstTimestamp());
  return checkVideo({
    codec: codecOf(codec, internal),
    codecName: codec ?? internal,
    track,
    width: Math.round(await video.getDisplayWidth()),
    height: Math.round(await video.getDisplayHeight()),
    rotation: await video.getRotation(),
    durationSeconds: end - start,
    frameRate,
    hasVariableFrameRate,
    audioTracks: await audioOf(input),
    ...(createdAt !== undefined && { createdAt }),
  });
}

/**
 * The track that players show: of those that can be decoded, an enabled one, and of several the longest, since a still
 * picture may stand before the film. The first of equals.
 */
async function chooseTrack(videos: readonly InputVideoTrack[]): Promise<InputVideoTrack | undefined> {
  const ranked = await Promise.all(
    videos.map(async (video) => {
      const codec = codecOf(await video.getCodec(), nameOf(await video.getInternalCodecId()) ?? '');
      // The headers of Matroska have one duration for all tracks.
      const seconds = videos.length > 1 ? await video.computeDuration({ metadataOnly: true }) : 0;
      const isDefault = (await video.getDisposition()).default;
      return { video, rank: [Number(codec !== undefined), Number(isDefault), Math.round(seconds)] };
    }),
  );
  const compare = (a: readonly number[], b: readonly number[]) =>
    b.map((value, at) => value - (a[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.toSorted((a, b) => compare(a.rank, b.rank))[0]?.video;
}

/** Where writers put the date of a recording, best first; it is in the headers as well, but without a zone. */
const DATE_TAGS = [
  'com.apple.quicktime.creationdate',
  'DATE_RECORDED',
  'DATE_DIGITIZED',
  '©day',
  'date',
  'DATE',
  'rldt',
];

/** When the video was recorded, in ISO 8601; undefined if the clock of the writer was never set. */
async function creationOf(input: Input, bytes: VideoBytes): Promise<string | undefined> {
  const tags = (await input.getMetadataTags().catch(() => undefined))?.raw ?? {};
  const texts = DATE_TAGS.map((name) => tags[name]).filter((value) => typeof value === 'string');
  const written = [...texts, ...(await headerDates(bytes))].map((text) => ({ text: text.slice(0, 100) }));
  return firstMoment(written.filter(({ text }) => isPlausible(firstMoment([{ text }]))));
}

function isPlausible(moment = ''): boolean {
  const date = new Date(moment);
  return date >= EARLIEST && date < LATEST;
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
  let shown = 0;
  for await (const { timestamp, duration } of packets) {
    shown = duration;
    if (times.push(timestamp) >= FRAMES) break;
  }
  // Packets arrive in decoding order, not in the order of time.
  times.sort((a, b) => a - b);
  // Between the last ones, frames that are decoded later may be missing.
  const known = times.length < FRAMES ? times : times.slice(0, -16);
  const intervals = known.slice(1).map((time, at) => time - (known[at] ?? time));
  const [usual] = intervals.toSorted((a, b) => a - b).slice(Math.floor(intervals.length / 2));
  const span = (known.at(-1) ?? 0) - (known[0] ?? 0);
  if (!usual || span <= 0) {
    // A single frame has the rate at which another would follow.
    const frameRate = shown > 0 ? Math.min(MAX_RATE, Math.round(1000 / shown) / 1000) : 0;
    return { frameRate: times.length === 1 ? frameRate : 0, hasVariableFrameRate: false };
  }
  const stray = intervals.filter((each) => Math.abs(each - usual) > ROUNDING_SECONDS + usual * 0.1);
  return {
    frameRate: Math.min(MAX_RATE, Math.round((intervals.length / span) * 1000) / 1000),
    hasVariableFrameRate: stray.length > STRAY * intervals.length,
  };
}
