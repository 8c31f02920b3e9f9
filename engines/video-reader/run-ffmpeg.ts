import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { traced } from '../../domain/tracing.ts';
import { HostEnded } from '../hosts/host.ts';
import { CANNOT_START, containedCommand } from '../hosts/containment/plan.ts';
import { limitedCommand } from '../hosts/limited-command.ts';
import { processUse } from '../hosts/processor-time.ts';
import { watchTask } from '../hosts/task-host.ts';
import { FfmpegMissing, VideoReaderCrashed, VideoRefused } from './errors.ts';

export interface FfmpegTask {
  /** Path of the program. */
  ffmpeg: string;
  /** URL of the video on loopback. */
  url: string;
  /** The demuxer of the container; no other format is probed, so playlists are never read. */
  demuxer: 'mov' | 'matroska';
  /** Place of the track among the video tracks. */
  track: number;
  /**
   * Start of the output. Decoding starts at the preceding sync frame; a frame that is shown from before the
   * start has a negative time.
   */
  atSeconds: number;
  /** Options of the output, which goes to standard output. */
  output: readonly string[];
  cpuSeconds: number;
  /** A folder whose files the filters may read by their names. */
  folder?: string | undefined;
  /** Receives the end of what ffmpeg has printed, which then includes what filters tell. */
  onLog?: (log: string) => void;
  /** Receives the processor time so far, in seconds, a few times each second. */
  onUse?: (cpuSeconds: number) => void;
  signal: AbortSignal;
}

const MIB = 2 ** 20;
/**
 * Decoding 8K takes 1.5 GB. The limit is on address space, which exceeds memory: the program alone has 170
 * MB.
 */
const MAX_ADDRESS_BYTES = 4 * 2 ** 30;
const MAX_RESIDENT_BYTES = 2048 * MIB;
/** More threads speed up decoding little, and the machine has other work. */
const THREADS = '2';
/** Minimum wall time, and wall time per unit of processor time; only a hanging process reaches the limit. */
const [LEAST_WALL_MS, WALL_FACTOR] = [180_000, 10];
/** Maximum delay of a timer. */
const MOST_WALL_MS = 2 ** 31 - 1;
const MAX_STDERR = 4000;
const NICE = 5;
/** The kernel's limit on processor time is this much above ours. */
const KERNEL_MARGIN_SECONDS = 10;
/** Exit code of ffmpeg after a handled signal; the only one it can get is SIGXCPU. */
const ENDED_BY_SIGNAL = 255;

/** Written by the programs that start an ffmpeg that is not contained, when they cannot. */
const LAUNCHER_ERROR = /^(?:nice|prlimit): /m;

/**
 * Excludes the parent's environment, which contains keys. Two arenas keep glibc from reserving memory per
 * thread.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', LC_ALL: 'C' };

/** The result of a run. */
export interface FfmpegResult<T> {
  value: T;
  /** The last error message, if the run ended with an error; the output may still be complete. */
  complaint: string | undefined;
}

/**
 * Runs ffmpeg on one video in its own process group, with limits on memory and time. It reads only the given
 * URL and writes only to its standard output.
 *
 * @param consume reads the output to its end
 * @throws VideoRefused, VideoReaderCrashed, FfmpegMissing, the reason of the signal, and errors of `consume`
 */
export function runFfmpeg<T>(
  task: FfmpegTask,
  consume: (output: Readable) => Promise<T>,
): Promise<FfmpegResult<T>> {
  return traced('process ffmpeg', () => run(task, consume));
}

async function run<T>(task: FfmpegTask, consume: (output: Readable) => Promise<T>): Promise<FfmpegResult<T>> {
  const { cpuSeconds, onUse, signal } = task;
  signal.throwIfAborted();
  const { child, isContained } = start(task);
  const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null; cause?: Error }>((resolve) => {
    child.once('close', (code, by) => resolve({ code, by }));
    child.once('error', (cause) => resolve({ code: null, by: null, cause }));
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-MAX_STDERR)));
  let over: unknown;
  const wallMs = Math.min(MOST_WALL_MS, Math.max(LEAST_WALL_MS, cpuSeconds * 1000 * WALL_FACTOR));
  const stop = watchTask({
    use: () => processUse(child.pid),
    before: 0,
    budget: { cpuMs: cpuSeconds * 1000, wallMs },
    maxBytes: MAX_RESIDENT_BYTES,
    signal,
    ...(onUse && { onUse: ({ cpuMs }) => onUse(cpuMs / 1000) }),
    onOver(reason) {
      over ??= reason;
      killGroup(child);
    },
  });
  try {
    const value = await consume(child.stdout).catch((error: unknown) => {
      if (over === undefined) throw error;
    });
    const { code, by, cause } = await ended;
    task.onLog?.(stderr);
    if (over !== undefined) throw explainLimit(over);
    if (by === 'SIGXCPU' || code === ENDED_BY_SIGNAL) throw explainLimit(new HostEnded('time'));
    if (/Cannot allocate memory/i.test(stderr)) throw explainLimit(new HostEnded('memory'));
    if (isContained ? code === CANNOT_START : LAUNCHER_ERROR.test(stderr))
      throw new FfmpegMissing(`ffmpeg cannot be started: ${lastLine(stderr)}`);
    if (code === null) throw new VideoReaderCrashed(`ffmpeg crashed (${by ?? cause?.message})`, { cause });
    return { value: value as T, complaint: code === 0 ? undefined : lastLine(stderr) || `exit code ${code}` };
  } finally {
    stop();
    killGroup(child);
    // Unread output would keep the process open.
    child.stdout.destroy();
    await ended;
  }
}

function start({ ffmpeg, url, demuxer, track, atSeconds, output, cpuSeconds, folder, onLog }: FfmpegTask) {
  const level = onLog ? 'info' : 'error';
  const quiet = ['-hide_banner', '-nostdin', '-nostats', '-v', level, '-threads', THREADS];
  const source = ['-protocol_whitelist', 'http,tcp', '-f', demuxer];
  // No seek to 0: in a video that starts without a picture, it may skip the first sync frame.
  const seek = atSeconds > 0 ? ['-noaccurate_seek', '-ss', String(atSeconds)] : [];
  const input = [...source, ...seek, '-i', url, '-map', `0:v:${track}`, '-an', '-sn', '-dn'];
  const args = [...quiet, ...input, ...output, '-fps_mode', 'passthrough', 'pipe:1'];
  const limits = {
    fileBytes: 0,
    addressSpaceBytes: MAX_ADDRESS_BYTES,
    cpuSeconds: cpuSeconds + KERNEL_MARGIN_SECONDS,
  };
  const program = [ffmpeg, ...args];
  const contained = containedCommand(program, {
    ...limits,
    reads: folder === undefined ? [] : [folder],
    port: Number(new URL(url).port),
    nice: NICE,
  });
  const child = spawn(...(contained ?? limitedCommand(limits, program)), {
    cwd: folder ?? '/',
    detached: true,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, isContained: contained !== undefined };
}

/** The error to throw for a run that was aborted with a reason. */
export function explainLimit(reason: unknown): unknown {
  if (!(reason instanceof HostEnded)) return reason;
  return reason.why === 'time'
    ? new VideoRefused('VIDEO_TOO_SLOW', 'decoding the video takes too much processor time')
    : new VideoRefused('VIDEO_TOO_LARGE', 'decoding the video takes too much memory');
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  // The message is prefixed by its component in brackets.
  const message = line.split('] ').at(-1) ?? line;
  return message.replaceAll(/https?:\S+/g, 'the video');
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
