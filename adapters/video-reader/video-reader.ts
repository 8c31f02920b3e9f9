import type { Readable } from 'node:stream';
import { HostEnded } from '../hosts/host.ts';
import { createProcessPool } from '../hosts/process-pool.ts';
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
import type { ProbeReply, ProbeRequest } from './probe-process.ts';
import { serveRanges, type ByteSource, type RangeServer } from './range-server.ts';
import { runFfmpeg, type FfmpegTask } from './run-ffmpeg.ts';

/** A stored video of one tenant. */
export interface VideoSource extends ByteSource {
  format: VideoFormat;
  tenantId: string;
}

/** Frames as they are shown, and how long the video is. */
type Shown = Pick<VideoFacts, 'width' | 'height' | 'durationSeconds'>;

/**
 * Reads videos in processes with budgets: their index by a parser, their frames by ffmpeg. Bytes are read in ranges from
 * where they are stored; no video passes whole through memory or disk.
 *
 * All throw VideoRefused, VideoReaderCrashed, the error of the source, and the reason of the signal.
 */
export interface VideoReader {
  /** Reads the index. No frame is decoded. */
  probe(source: VideoSource, signal: AbortSignal): Promise<VideoFacts>;
  /**
   * Decodes every frame from a time on, and passes on small samples of them at SAMPLES_PER_SECOND.
   *
   * @param onSample awaited, so that a slow receiver slows the decoding
   * @returns how many there were
   * @throws FfmpegMissing
   */
  scan(
    source: VideoSource,
    video: Shown & { fromSeconds: number },
    onSample: (sample: FrameSample, signature: FrameSignature) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * The frame that is shown at a time, upright, as a JPEG whose longer side is bounded.
   *
   * @returns undefined if there is none at that time
   * @throws FfmpegMissing
   */
  frame(
    source: VideoSource,
    video: Shown & { atSeconds: number; maxDimension: number },
    signal: AbortSignal,
  ): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

const MIB = 2 ** 20;
const PROBE_MODULE = new URL('./probe-process.ts', import.meta.url);
/** The index of 12 hours in fragments. */
const PROBE_BUDGET = { cpuMs: 20_000, wallMs: 120_000 };
const PROBE_MEMORY = 512 * MIB;
/** Of the file, for its index. */
const MAX_INDEX_BYTES = 512 * MIB;
/** Longer side of the frames that scenes are found by. */
const SMALL_SIDE = 160;
/** Processor time for each second of video: 8K needs ten. */
const SCAN_FACTOR = 20;
const [LEAST_SCAN_SECONDS, MOST_SCAN_SECONDS] = [120, 4 * 3600];
const FRAME_SECONDS = 120;
const MAX_FRAME_BYTES = 32 * MIB;

/** @param options.slots videos whose index is read at the same time */
export function createVideoReader({
  slots,
  findFfmpeg,
}: {
  slots: number;
  findFfmpeg: FindFfmpeg;
}): VideoReader {
  const pool = createProcessPool<ProbeRequest, ProbeReply>({
    slots,
    module: PROBE_MODULE,
    execArgv: ['--max-old-space-size=384'],
    stderr: 'ignore',
    maxBytes: PROBE_MEMORY,
    // Decoding takes much longer than starting one, and an idle one would hold its memory meanwhile.
    maxTasks: 1,
    idleBytes: 256 * MIB,
  });

  async function decode<T>(
    source: VideoSource,
    options: Pick<FfmpegTask, 'input' | 'output' | 'cpuSeconds' | 'signal'>,
    consume: (output: Readable) => Promise<T>,
    isEmpty: (value: T) => boolean,
  ): Promise<T> {
    const ffmpeg = await findFfmpeg(options.signal);
    return serving(source, {}, async ({ url }) => {
      const demuxer = DEMUXERS[source.format];
      const { value, complaint } = await runFfmpeg({ ...options, ffmpeg, url, demuxer }, consume);
      if (!complaint || !isEmpty(value)) return value;
      throw new VideoRefused('VIDEO_UNREADABLE', `the video cannot be decoded: ${complaint}`);
    });
  }

  return {
    async probe(source, signal) {
      const tooMany = new VideoRefused(
        'VIDEO_TOO_COMPLEX',
        'the index of the video is larger than what is read of it',
      );
      const reply = await serving(source, { maxBytes: MAX_INDEX_BYTES, tooMany }, ({ url }) =>
        pool
          .run(source.tenantId, signal, (child, aborted) =>
            child.run({ url, sizeBytes: source.sizeBytes }, PROBE_BUDGET, aborted),
          )
          .catch((error: unknown) => {
            throw explainHost(error);
          }),
      );
      if (reply.kind === 'probed') return reply.facts;
      if (reply.kind === 'refused') throw new VideoRefused(reply.refusal.code, reply.refusal.message);
      throw new VideoReaderCrashed(reply.message);
    },

    async scan(source, { fromSeconds, durationSeconds, ...shown }, onSample, signal) {
      const { width, height } = smallSize(shown, SMALL_SIDE);
      const left = Math.max(0, durationSeconds - fromSeconds);
      const filters = [
        // The frame that is shown at each of these times; one that was shown before is repeated.
        `fps=${SAMPLES_PER_SECOND}:round=up`,
        `scale=${width}:${height}:flags=area:out_range=full`,
        'format=yuv420p',
      ];
      const consume = async (output: Readable): Promise<number> => {
        let count = 0;
        for await (const data of blocks(output, frameBytes({ width, height }))) {
          const at = fromSeconds + count / SAMPLES_PER_SECOND;
          const { sample, signature } = sampleFrame({ data, width, height }, at);
          await onSample(sample, signature);
          count += 1;
        }
        return count;
      };
      return decode(
        source,
        {
          // Bounded by what the index says, since a later frame could be claimed to be shown for years.
          input: ['-ss', String(fromSeconds), '-t', String(left + 1 / SAMPLES_PER_SECOND)],
          output: ['-vf', filters.join(','), '-f', 'rawvideo'],
          cpuSeconds: Math.min(MOST_SCAN_SECONDS, LEAST_SCAN_SECONDS + SCAN_FACTOR * left),
          signal,
        },
        consume,
        (count) => count === 0,
      );
    },

    async frame(source, { atSeconds, maxDimension, width, height }, signal) {
      const size = smallSize({ width, height }, maxDimension);
      const bytes = await decode(
        source,
        {
          input: ['-ss', String(atSeconds)],
          output: [
            '-frames:v',
            '1',
            '-vf',
            `scale=${size.width}:${size.height}:out_range=full,format=yuvj420p`,
            '-c:v',
            'mjpeg',
            '-q:v',
            '2',
            '-f',
            'image2pipe',
          ],
          cpuSeconds: FRAME_SECONDS,
          signal,
        },
        readBounded,
        (read) => read.length === 0,
      );
      return bytes.length > 0 ? bytes : undefined;
    },

    close: () => pool.close(new Error('the video reader is closed')),
  };
}

const DEMUXERS = { mp4: 'mov', mov: 'mov', webm: 'matroska', mkv: 'matroska' } as const satisfies Record<
  VideoFormat,
  FfmpegTask['demuxer']
>;

/** Calls `use` with a server of the source's bytes; an error of the source replaces what follows from it. */
async function serving<T>(
  source: ByteSource,
  limits: Parameters<typeof serveRanges>[1],
  use: (server: RangeServer) => Promise<T>,
): Promise<T> {
  const server = await serveRanges(source, limits);
  try {
    const value = await use(server);
    // A program may take the end of its input for the end of the video.
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
  if (error.why === 'crash') return new VideoReaderCrashed('the index of the video crashed its reader');
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
