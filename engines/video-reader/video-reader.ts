/**
 * The public interface of the video reader. The file is long because all of its work shares the decoders and the way in
 * which they get bytes.
 */
import type { Readable } from 'node:stream';
import { createFairSlots } from '../hosts/fair-slots.ts';
import { HostEnded, startProcess } from '../hosts/host.ts';
import { createHostPool } from '../hosts/host-pool.ts';
import { createTaskHost, type TaskHost } from '../hosts/task-host.ts';
import type { VideoFormat } from '../../domain/media.ts';
import {
  frameBytes,
  sampleFrame,
  smallSize,
  type FrameSample,
  type FrameSignature,
} from '../../domain/videos/frame-sample.ts';
import { SAMPLES_PER_SECOND } from '../../domain/videos/scenes.ts';
import type { VideoFacts } from '../../domain/videos/video.ts';
import { VideoReaderCrashed, VideoRefused } from './errors.ts';
import type { FindFfmpeg } from './find-ffmpeg.ts';
import {
  ANY_MATRIX,
  colourFilters,
  coloursIn,
  SHOW_COLOURS,
  type ColourFilters,
  type FrameColours,
} from './frame-colours.ts';
import type { ProbeReply, ProbeRequest } from './probe-process.ts';
import { serveRanges, type ByteSource, type RangeServer } from './range-server.ts';
import { explainLimit, runFfmpeg, type FfmpegTask } from './run-ffmpeg.ts';

/** A stored video of one tenant. */
export interface VideoSource extends ByteSource {
  format: VideoFormat;
  tenantId: string;
}

/** The track with its displayed frame size and its duration. */
type Shown = Pick<VideoFacts, 'width' | 'height' | 'durationSeconds' | 'track'>;

/**
 * Reads videos in child processes with budgets: the index by a parser, the frames by ffmpeg. Bytes are read
 * in ranges from the store; no video is held whole in memory or on disk.
 *
 * All methods throw VideoRefused, VideoReaderCrashed, the error of the source, and the reason of the signal.
 */
export interface VideoReader {
  /** Reads the index. No frame is decoded. */
  probe(source: VideoSource, signal: AbortSignal): Promise<VideoFacts>;
  /**
   * Decodes every frame from a time on, and calls `onSample` with small images at SAMPLES_PER_SECOND.
   *
   * @param video.cpuSeconds processor time used by earlier attempts, which share one budget
   * @param onSample awaited, so that a slow receiver slows the decoding; `cpuSeconds` is the total of all
   *   attempts
   * @returns the number of samples
   * @throws FfmpegMissing
   */
  scan(
    source: VideoSource,
    video: Shown & { fromSeconds: number; cpuSeconds?: number },
    onSample: (sample: FrameSample, signature: FrameSignature, cpuSeconds: number) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * The frame that is shown at a time, upright and in sRGB, as a JPEG whose longer side is bounded.
   *
   * @returns undefined if it cannot be decoded within its budget
   * @throws FfmpegMissing
   */
  frame(
    source: VideoSource,
    video: Shown & { atSeconds: number; maxDimension: number },
    signal: AbortSignal,
  ): Promise<Buffer | undefined>;
  /** Whether another tenant waits for a decoder, which this one has; a scan should then end soon. */
  isAwaitedByOthers(tenantId: string): boolean;
  close(): Promise<void>;
}

const MIB = 2 ** 20;
const PROBE_MODULE = new URL('./probe-process.ts', import.meta.url);
/** Enough for the index of 12 hours in fragments. */
const PROBE_BUDGET = { cpuMs: 20_000 };
/** Exceeded only with a slow store, so the failure is retryable. */
const PROBE_WALL_MS = 180_000;
const PROBE_MEMORY = 512 * MIB;
/** Maximum bytes read from the file for its index. */
const MAX_INDEX_BYTES = 512 * MIB;
/** Longer side in pixels of the frames used for scene detection. */
const SMALL_SIDE = 160;
/** Processor time for each second of video: 8K needs ten. */
const SCAN_FACTOR = 20;
const [LEAST_SCAN_SECONDS, MOST_SCAN_SECONDS] = [120, 4 * 3600];
const FRAME_SECONDS = 120;
const MAX_FRAME_BYTES = 32 * MIB;

/**
 * Samples the shown frame at regular times from the start of the run; a longer frame repeats, and the first
 * one fills a gap before it.
 */
const SHOWN_FRAMES = `fps=${SAMPLES_PER_SECOND}:start_time=0:round=up`;

const JPEG = ['-c:v', 'mjpeg', '-q:v', '2', '-f', 'image2pipe'];

/**
 * @param options.slots indexes of one tenant that are read, and videos that are decoded, at the same time
 * @param options.decoders maximum number of decoders; those beyond the slots are kept for other tenants
 */
export function createVideoReader({
  slots,
  decoders = slots,
  findFfmpeg,
}: {
  slots: number;
  decoders?: number;
  findFfmpeg: FindFfmpeg;
}): VideoReader {
  const fairDecoders = createFairSlots(decoders, decoders - slots);
  const pool = createHostPool({ slots }, createProbe);
  /** Of the last frame of each source. */
  const colours = new WeakMap<VideoSource, FrameColours>();

  async function decode<T>(
    source: VideoSource,
    options: Omit<FfmpegTask, 'ffmpeg' | 'url' | 'demuxer'>,
    consume: (output: Readable) => Promise<T>,
    isEmpty: (value: T) => boolean,
  ): Promise<T> {
    const ffmpeg = await findFfmpeg(options.signal);
    const release = await fairDecoders.acquire(source.tenantId, options.signal);
    try {
      return await serving(source, {}, async ({ url }) => {
        const demuxer = DEMUXERS[source.format];
        const { value, complaint } = await runFfmpeg({ ...options, ffmpeg, url, demuxer }, consume);
        if (!complaint || !isEmpty(value)) return value;
        throw new VideoRefused('VIDEO_UNREADABLE', `the video cannot be decoded: ${complaint}`);
      });
    } finally {
      release();
    }
  }

  return {
    async probe(source, signal) {
      const tooMany = new VideoRefused('VIDEO_TOO_COMPLEX', 'the index of the video exceeds the read limit');
      const reply = await serving(source, { maxBytes: MAX_INDEX_BYTES, tooMany }, ({ url }) =>
        pool
          .run(source.tenantId, signal, (child, aborted) => {
            const slow = AbortSignal.timeout(PROBE_WALL_MS);
            const either = AbortSignal.any([aborted, slow]);
            return child.run({ url, sizeBytes: source.sizeBytes }, either).catch((error: unknown) => {
              if (either.reason !== slow.reason || !slow.aborted) throw error;
              throw new VideoReaderCrashed('the index of the video could not be read in time');
            });
          })
          .catch((error: unknown) => {
            throw explainHost(error);
          }),
      );
      if (reply.kind === 'probed') return reply.facts;
      if (reply.kind === 'refused') throw new VideoRefused(reply.refusal.code, reply.refusal.message);
      throw new VideoReaderCrashed(reply.message);
    },

    async scan(
      source,
      { fromSeconds, durationSeconds, track, cpuSeconds: usedBefore = 0, ...shown },
      onSample,
      signal,
    ) {
      const { width, height } = smallSize(shown, SMALL_SIDE);
      const left = Math.max(0, durationSeconds - fromSeconds);
      const budget = Math.min(MOST_SCAN_SECONDS, LEAST_SCAN_SECONDS + SCAN_FACTOR * durationSeconds);
      if (usedBefore >= budget) throw explainLimit(new HostEnded('time'));
      let cpuSeconds = usedBefore;
      const filters = [
        SHOWN_FRAMES,
        ANY_MATRIX,
        `scale=${width}:${height}:flags=area:out_range=full`,
        'format=yuv420p',
      ];
      const consume = async (output: Readable): Promise<number> => {
        let count = 0;
        let last: ({ data: Uint8Array } & ReturnType<typeof sampleFrame>) | undefined;
        for await (const data of blocks(output, frameBytes({ width, height }))) {
          const at = fromSeconds + count / SAMPLES_PER_SECOND;
          // A still picture is measured once.
          if (!last || Buffer.compare(last.data, data) !== 0) {
            last = { data: data.slice(), ...sampleFrame({ data, width, height }, at) };
          }
          await onSample({ ...last.sample, at }, last.signature, cpuSeconds);
          count += 1;
        }
        return count;
      };
      return decode(
        source,
        {
          track,
          atSeconds: fromSeconds,
          output: [
            // Bounded by the duration in the index, since a frame could claim to be shown for years.
            '-frames:v',
            String(Math.ceil(left * SAMPLES_PER_SECOND) + 1),
            '-vf',
            filters.join(','),
            '-f',
            'rawvideo',
          ],
          cpuSeconds: budget - usedBefore,
          onUse: (used) => (cpuSeconds = usedBefore + used),
          signal,
        },
        consume,
        (count) => count === 0,
      );
    },

    async frame(source, { atSeconds, track, maxDimension, width, height }, signal) {
      const size = smallSize({ width, height }, maxDimension);
      let seen: FrameColours | undefined;
      const render = async ({ filters, folder }: ColourFilters): Promise<Buffer | undefined> => {
        const output = ['-frames:v', '1', '-vf', `${SHOWN_FRAMES},${SHOW_COLOURS},${filters}`, ...JPEG];
        const onLog = (log: string) => (seen = coloursIn(log));
        const task = { track, atSeconds, output, cpuSeconds: FRAME_SECONDS, signal, folder, onLog };
        const bytes = await decode(source, task, readBounded, (read) => read.length === 0).catch(
          (error: unknown) => {
            if (!(error instanceof VideoRefused)) throw error;
          },
        );
        return bytes?.length ? bytes : undefined;
      };
      // Most videos need no other conversion than the first guess, and the frames of one are alike.
      const guess = await colourFilters(colours.get(source), size);
      const bytes = await render(guess);
      // A matrix that ffmpeg cannot convert, it shows only if the conversion does not know of it.
      if (!bytes && !seen) await render({ filters: `${ANY_MATRIX},${guess.filters}` });
      if (!seen) return bytes;
      colours.set(source, seen);
      const right = await colourFilters(seen, size);
      return right.filters === guess.filters ? bytes : render(right);
    },

    isAwaitedByOthers: (tenantId) => fairDecoders.isAwaitedByOthers(tenantId),
    close: () => pool.close(new Error('the video reader is closed')),
  };
}

/**
 * A process for one video, which can connect only to the server of its bytes. None is reused: starting one is cheap
 * beside decoding, and an idle one would hold memory.
 */
function createProbe() {
  let host: TaskHost<ProbeRequest, ProbeReply> | undefined;
  return {
    run(request: ProbeRequest, signal: AbortSignal): Promise<ProbeReply> {
      const child = startProcess({
        module: PROBE_MODULE,
        execArgv: ['--max-old-space-size=384'],
        stderr: 'ignore',
        contained: { port: Number(new URL(request.url).port) },
      });
      host = createTaskHost(child, { maxBytes: PROBE_MEMORY, idleBytes: 0 });
      return host.run(request, PROBE_BUDGET, signal);
    },
    isFit: () => false,
    kill: async () => host?.kill(),
  };
}

const DEMUXERS = { mp4: 'mov', mov: 'mov', webm: 'matroska', mkv: 'matroska' } as const satisfies Record<
  VideoFormat,
  FfmpegTask['demuxer']
>;

/**
 * Calls `use` with a server of the source's bytes; an error of the source takes precedence over its
 * consequences.
 */
async function serving<T>(
  source: ByteSource,
  limits: Parameters<typeof serveRanges>[1],
  use: (server: RangeServer) => Promise<T>,
): Promise<T> {
  const server = await serveRanges(source, limits);
  try {
    const value = await use(server);
    // The program may have taken broken input for the end of the video.
    const failure = server.failure();
    if (failure !== undefined) throw failure;
    return value;
  } catch (error) {
    throw server.failure() ?? error;
  } finally {
    await server.close();
  }
}

function explainHost(error: unknown): unknown {
  if (!(error instanceof HostEnded)) return error;
  if (error.why === 'crash') return new VideoReaderCrashed('the reader crashed on the index of this video');
  return new VideoRefused('VIDEO_TOO_COMPLEX', `reading the index of the video takes too much ${error.why}`);
}

async function* blocks(output: Readable, size: number): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.subarray(at, at + size - filled);
      block.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < size) continue;
      yield block;
      filled = 0;
    }
  }
}

async function readBounded(output: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FRAME_BYTES)
      throw new VideoRefused('VIDEO_TOO_LARGE', 'a frame of the video is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
