import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { HostEnded } from '../hosts/host.ts';
import { processUse } from '../hosts/processor-time.ts';
import { watchTask } from '../hosts/task-host.ts';
import { VideoReaderCrashed, VideoRefused } from './errors.ts';

export interface FfmpegTask {
  /** Path of the program. */
  ffmpeg: string;
  /** Where the video is read from, on loopback. */
  url: string;
  /** The container's demuxer: no other format is tried, so that no playlist is. */
  demuxer: 'mov' | 'matroska';
  /**
   * Time of the output's beginning. Decoding begins at the sync frame before it: what is shown then may have begun
   * earlier, and has a negative time.
   */
  atSeconds: number;
  /** Options of the output, which goes to standard output. */
  output: readonly string[];
  cpuSeconds: number;
  /** Receives the processor time so far, in seconds, a few times each second. */
  onUse?: (cpuSeconds: number) => void;
  signal: AbortSignal;
}

const MIB = 2 ** 20;
/** Decoders of 8K need 1.5 GB. Address space is more than memory: the program itself has 170 MB. */
const MAX_ADDRESS_KIB = 4 * 2 ** 20;
const MAX_RESIDENT_BYTES = 2048 * MIB;
/** Decoding gains little from more, and the machine has other work. */
const THREADS = '2';
/** Lowest wall time, and wall time for each second of processor time: only a hanging process reaches it. */
const [LEAST_WALL_MS, WALL_FACTOR] = [180_000, 10];
/** What a timer can wait for. */
const MOST_WALL_MS = 2 ** 31 - 1;
const MAX_STDERR = 4000;
/** The kernel's limit of processor time is this much later than ours, which it stands in for outside Linux. */
const KERNEL_MARGIN_SECONDS = 10;
/** Of ffmpeg after a signal that it handles, as it does SIGXCPU; nothing else sends it one. */
const ENDED_BY_SIGNAL = 255;

/** Without the parent's environment, which has keys. Two arenas keep glibc from reserving memory for each thread. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', LC_ALL: 'C' };
/**
 * Limits that the kernel applies: memory, processor time, no files, no core dump. That of time is soft, so that it does
 * not end in the signal that a machine out of memory sends.
 */
const LIMITED = 'ulimit -v "$1"; ulimit -S -t "$2"; ulimit -f 0; ulimit -c 0; shift 2; exec nice -n 5 "$@"';

/** What a run produced. */
export interface FfmpegResult<T> {
  value: T;
  /** The last error it reported, if it ended with one; what it produced before may be complete or not. */
  complaint: string | undefined;
}

/**
 * Runs ffmpeg on one video as a process group of its own, within limits of memory and time. It reads only the given URL
 * and writes only to its output.
 *
 * @param consume reads the output to its end
 * @throws VideoRefused, VideoReaderCrashed, the reason of the signal, and errors of `consume`
 */
export async function runFfmpeg<T>(
  task: FfmpegTask,
  consume: (output: Readable) => Promise<T>,
): Promise<FfmpegResult<T>> {
  const { cpuSeconds, onUse, signal } = task;
  signal.throwIfAborted();
  const child = start(task);
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
    if (over !== undefined) throw explainLimit(over);
    if (by === 'SIGXCPU' || code === ENDED_BY_SIGNAL) throw explainLimit(new HostEnded('time'));
    if (/Cannot allocate memory/i.test(stderr)) throw explainLimit(new HostEnded('memory'));
    if (code === null) throw new VideoReaderCrashed(`ffmpeg crashed (${by ?? cause?.message})`, { cause });
    return { value: value as T, complaint: code === 0 ? undefined : lastLine(stderr) || `exit code ${code}` };
  } finally {
    stop();
    killGroup(child);
    // Output that nobody reads would keep it open.
    child.stdout.destroy();
    await ended;
  }
}

function start({ ffmpeg, url, demuxer, atSeconds, output, cpuSeconds }: FfmpegTask) {
  const quiet = ['-hide_banner', '-nostdin', '-nostats', '-v', 'error', '-threads', THREADS];
  const source = ['-protocol_whitelist', 'http,tcp', '-f', demuxer];
  // A demuxer that seeks to a beginning without a picture may miss the first sync frame.
  const seek = atSeconds > 0 ? ['-noaccurate_seek', '-ss', String(atSeconds)] : [];
  const input = [...source, ...seek, '-i', url, '-map', '0:V:0', '-an', '-sn', '-dn'];
  const args = [...quiet, ...input, ...output, '-fps_mode', 'passthrough', 'pipe:1'];
  const limits = [String(MAX_ADDRESS_KIB), String(Math.ceil(cpuSeconds) + KERNEL_MARGIN_SECONDS)];
  return spawn('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ffmpeg, ...args], {
    cwd: '/',
    detached: true,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What is thrown for a run that was ended for a reason. */
export function explainLimit(reason: unknown): unknown {
  if (!(reason instanceof HostEnded)) return reason;
  return reason.why === 'time'
    ? new VideoRefused('VIDEO_TOO_SLOW', 'decoding the video takes too much processor time')
    : new VideoRefused('VIDEO_TOO_LARGE', 'decoding the video takes too much memory');
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  // The component that reports it comes first, in brackets.
  const message = line.split('] ').at(-1) ?? line;
  return message.replaceAll(/https?:\S+/g, 'the video');
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}
