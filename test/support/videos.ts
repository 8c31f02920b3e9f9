import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFindFfmpeg } from '../../adapters/video-reader/find-ffmpeg.ts';
import type { VideoSource } from '../../adapters/video-reader/video-reader.ts';
import type { VideoFormat } from '../../domain/media.ts';

const run = promisify(execFile);
/** Of this run: the test runner and its files are children of one process. */
const FOLDER = join(tmpdir(), `darkroom-videos-${process.ppid}`);

const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: undefined });

export interface MadeVideo {
  /** Sources of two seconds each, one scene after the other. */
  scenes?: readonly string[];
  codec?: string;
  format?: VideoFormat;
  /** Further options of the output. */
  options?: readonly string[];
  size?: string;
  rate?: number;
  seconds?: number;
  audio?: boolean;
  /** Applied to all scenes together. */
  filter?: string;
}

/** Scenes that nobody takes for one another. */
export const SCENES = ['testsrc', 'mandelbrot', 'smptebars', 'rgbtestsrc'] as const;

const CODECS: Readonly<Record<string, readonly string[]>> = {
  h264: ['libx264', '-preset', 'ultrafast'],
  hevc: ['libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none'],
  vp8: ['libvpx', '-deadline', 'realtime', '-cpu-used', '8'],
  vp9: ['libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
  av1: ['libsvtav1', '-preset', '12'],
  mpeg4: ['mpeg4', '-q:v', '5'],
  prores: ['prores_ks', '-profile:v', '0'],
};
const MUXERS: Readonly<Record<VideoFormat, string>> = {
  mp4: 'mp4',
  mov: 'mov',
  webm: 'webm',
  mkv: 'matroska',
};

/** The bytes of a video made by ffmpeg; made once in a run of the tests. */
export async function makeVideo(made: MadeVideo = {}): Promise<Buffer> {
  const {
    scenes = SCENES,
    codec = 'h264',
    format = 'mp4',
    options = [],
    audio = false,
    filter: last = 'null',
  } = made;
  const { size = '320x240', rate = 10, seconds = 2 } = made;
  const path = join(
    FOLDER,
    `${Buffer.from(JSON.stringify(made)).toString('base64url').slice(0, 180)}.${format}`,
  );
  if (!(await exists(path))) {
    await mkdir(FOLDER, { recursive: true });
    const draft = `${path}.${process.pid}`;
    const sources = scenes.flatMap((scene) => [
      '-f',
      'lavfi',
      '-t',
      String(seconds),
      '-i',
      `${scene}${scene.includes('=') ? ':' : '='}s=${size}:r=${rate}`,
    ]);
    const tone = audio ? ['-f', 'lavfi', '-t', String(seconds * scenes.length), '-i', 'sine'] : [];
    const joined = `concat=n=${scenes.length}:v=1,${last},format=yuv420p[out]`;
    const pixels = scenes.map((_, at) => `[${at}]format=yuv420p,setsar=1[s${at}]`).join(';');
    const filter = `${pixels};${scenes.map((_, at) => `[s${at}]`).join('')}${joined}`;
    const mapped = ['-map', '[out]', ...(audio ? ['-map', String(scenes.length)] : [])];
    const encoder = ['-c:v', ...(CODECS[codec] ?? [codec])];
    await ffmpeg(
      [
        sources,
        tone,
        ['-filter_complex', filter],
        mapped,
        encoder,
        options,
        ['-f', MUXERS[format], draft],
      ].flat(),
    );
    await rename(draft, path);
  }
  return readFile(path);
}

/** Rewrites a video without encoding it again. */
export async function remux(
  video: Buffer,
  { input = [], output, format = 'mp4' }: { input?: string[]; output: string[]; format?: VideoFormat },
): Promise<Buffer> {
  await mkdir(FOLDER, { recursive: true });
  const name = join(FOLDER, `${process.pid}-${performance.now()}`);
  await writeFile(name, video);
  await ffmpeg([...input, '-i', name, '-c', 'copy', ...output, '-f', MUXERS[format], `${name}.out`]);
  return readFile(`${name}.out`);
}

export async function ffmpeg(args: readonly string[]): Promise<void> {
  const path = await findFfmpeg(AbortSignal.timeout(120_000));
  await run(path, ['-hide_banner', '-nostdin', '-v', 'error', '-y', ...args]);
}

/** A source that reads from memory. */
export function memorySource(video: Buffer, format: VideoFormat = 'mp4'): VideoSource {
  return {
    sizeBytes: video.length,
    format,
    tenantId: 'tenant',
    read: ({ first, last }) => Promise.resolve(video.subarray(first, last + 1)),
  };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
