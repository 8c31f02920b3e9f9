import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { createImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { createFindFfmpeg } from '../../engines/video-reader/find-ffmpeg.ts';
import { createVideoReader, type VideoSource } from '../../engines/video-reader/video-reader.ts';
import { chooseKeyFrames, SceneScan } from '../../domain/videos/scenes.ts';
import type { BenchContext } from './context.ts';
import { goalResult, interleave, milliseconds, ratios, spread } from './statistics.ts';
import { MIB } from './upload-client.ts';

const call = promisify(execFile);
/** Test patterns, motion and colour gradients of six seconds each. */
const SCENES = [
  'testsrc2',
  'smptehdbars',
  'testsrc',
  'rgbtestsrc',
  'zoneplate=kt2=2:ku=1',
  ...Array.from({ length: 15 }, (_, seed) => `gradients=seed=${seed}:n=${2 + (seed % 5)}:speed=0.02`),
];
const SCENE_SECONDS = 6;
/** Repetitions of these two minutes. */
const TIMES = 5;
/** The same as those of the video reader. */
const THREADS = ['-threads', '2'];
const SAMPLE_MS = 100;
const LOOP_SAMPLE_MS = 5;
const PAGE_BYTES = 4096;
/** Because each round takes minutes. */
const MOST_ROUNDS = 3;

/**
 * D1: extraction of the key frames of ten minutes of 1080p, from the bytes to the rendered images, compared with ffmpeg
 * alone, which decodes the same frames once to the same small size. Also reports the peak memory of all processes above
 * the initial memory of this one, and the delay of the event loop that the analysis shares with other work.
 */
export async function run({ rounds, progress }: BenchContext): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const signal = new AbortController().signal;
  const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: undefined });
  const ffmpeg = await findFfmpeg(signal);
  const reader = createVideoReader({ slots: 1, findFfmpeg });
  const decoder = createImageDecoder({ slots: 1 });
  try {
    const path = join(folder, 'ten-minutes.mp4');
    progress('generating ten minutes of 1080p');
    await paintVideo(ffmpeg, path);
    const baseline = residentMib();
    const shares: number[] = [];
    const late: { usual: number; longest: number }[] = [];
    let [most, frames] = [0, 0];
    const keyFrames = async () => {
      const watch = setInterval(() => (most = Math.max(most, residentMib())), SAMPLE_MS);
      const [began, before] = [performance.now(), process.cpuUsage()];
      const loop = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
      loop.enable();
      frames = await renderKeyFrames({ reader, decoder }, path, signal).finally(() => clearInterval(watch));
      loop.disable();
      const { user, system } = process.cpuUsage(before);
      shares.push((user + system) / 10 / (performance.now() - began));
      // The histogram has the times between two samples, which include the resolution.
      const [usual = 0, longest = 0] = [loop.percentile(99), loop.max].map((ns) => ns / 1e6 - LOOP_SAMPLE_MS);
      late.push({ usual, longest });
    };
    const alone = () => call(ffmpeg, decodeOnly(path));
    const { ours, peer } = await interleave(
      Math.min(rounds, MOST_ROUNDS),
      { ours: () => milliseconds(keyFrames), peer: () => milliseconds(alone) },
      progress,
    );
    const { stdout } = await call(ffmpeg, ['-version']);
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1];
    const beside = ratios(ours, peer);
    return [
      `D1 ${frames} key frames of ten minutes of 1080p: ${spread(
        ours.map((each) => each / 1000),
        1,
      )} s`,
      `D1 … / ffmpeg ${version} alone, the same decode: ${spread(beside, 2)}, ${goalResult(beside, { most: 1.3 })}`,
      `D1 peak memory of the analysis: ${spread([most - baseline])} MiB, ${goalResult([most - baseline], { most: 400 })}`,
      `D1 … including the initial ${spread([baseline])} MiB of the benchmark: ${spread([most])} MiB`,
      `D1 own process: ${spread(shares)} % of a core, event loop late by ${spread(late.map(({ usual }) => usual))} ms at p99, at most ${spread(late.map(({ longest }) => longest))} ms`,
    ];
  } finally {
    await Promise.all([reader.close(), decoder.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function paintVideo(ffmpeg: string, path: string): Promise<void> {
  const inputs = SCENES.flatMap((scene) => [
    '-f',
    'lavfi',
    '-t',
    String(SCENE_SECONDS),
    '-i',
    `${scene}${scene.includes('=') ? ':' : '='}s=1920x1080:r=25`,
  ]);
  const same = SCENES.map((_, at) => `[${at}]format=yuv420p,setsar=1[s${at}]`).join(';');
  const joined = `${SCENES.map((_, at) => `[s${at}]`).join('')}concat=n=${SCENES.length}:v=1[out]`;
  const encoder = ['-c:v', 'libx264', '-preset', 'superfast', '-pix_fmt', 'yuv420p'];
  const graph = ['-filter_complex', `${same};${joined}`, '-map', '[out]'];
  const once = `${path}.once.mp4`;
  await call(ffmpeg, [['-v', 'error', '-y'], inputs, graph, encoder, once].flat());
  const again = ['-stream_loop', String(TIMES - 1), '-i', once, '-c', 'copy', path];
  await call(ffmpeg, ['-v', 'error', '-y', ...again]);
}

function decodeOnly(path: string): string[] {
  const filters = 'fps=2:round=up,scale=160:90:flags=area,format=yuv420p';
  const output = ['-f', 'rawvideo', '-y', '/dev/null'];
  return ['-v', 'error', ...THREADS, '-i', path, '-map', '0:V:0', '-vf', filters, ...output];
}

/** @returns the number of key frames */
async function renderKeyFrames(
  {
    reader,
    decoder,
  }: { reader: ReturnType<typeof createVideoReader>; decoder: ReturnType<typeof createImageDecoder> },
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const file = await open(path);
  try {
    const { size: sizeBytes } = await file.stat();
    const source: VideoSource = {
      sizeBytes,
      format: 'mp4',
      tenantId: 'bench',
      async read({ first, last }) {
        const bytes = Buffer.alloc(last - first + 1);
        await file.read(bytes, 0, bytes.length, first);
        return bytes;
      },
    };
    const facts = await reader.probe(source, signal);
    const scan = new SceneScan();
    const add = scan.add.bind(scan);
    await reader.scan(source, { ...facts, fromSeconds: 0 }, add, signal);
    const chosen = chooseKeyFrames(scan.state.scenes);
    for (const { at } of chosen) {
      const frame = await reader.frame(source, { ...facts, atSeconds: at, maxDimension: 1920 }, signal);
      if (frame) await decoder.render(frame, { tenantId: 'bench', label: 'file/bench' });
    }
    return chosen.length;
  } finally {
    await file.close();
  }
}

/**
 * Resident memory of a process and its descendants. Linux only; cheap, since it runs while the event loop is
 * measured.
 */
function residentMib(pid = process.pid): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
    const own = (Number(pages) * PAGE_BYTES) / MIB;
    return children.reduce((sum, child) => sum + (child ? residentMib(Number(child)) : 0), own);
  } catch {
    // The process has exited.
    return 0;
  }
}
