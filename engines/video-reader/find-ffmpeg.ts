import { execFile } from 'node:child_process';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unlessAborted } from '../unless-aborted.ts';
import { PackageUnavailable } from '../packages/download-package.ts';
import { fetchFromWheel, type PinnedWheel } from '../packages/fetch-from-wheel.ts';
import type { FfmpegConfig } from './config.ts';
import { FfmpegMissing } from './errors.ts';

/**
 * Resolves to the path of ffmpeg: FFMPEG_PATH, else from PATH, else fetched earlier, else fetched now.
 *
 * @throws FfmpegMissing, and the reason of the signal
 */
export type FindFfmpeg = (signal: AbortSignal) => Promise<string>;

/**
 * Not available for Macs. A GPL build: it runs as a separate program, is never linked, and is fetched by each
 * machine itself.
 */
const FFMPEG_WHEEL: PinnedWheel = {
  package: 'imageio-ffmpeg',
  version: '0.8.1',
  member: `imageio_ffmpeg/binaries/ffmpeg-linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-v9.0.2`,
  sha256: {
    'linux-x64': '050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda',
    'linux-arm64': 'fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e',
  },
};

const run = promisify(execFile);
const PROJECT_CACHE = fileURLToPath(new URL('../../.cache/bin', import.meta.url));
/** Enough for 30 MB over a slow connection. */
const FETCH_MS = 10 * 60_000;
/** Pause after a failed attempt, so that waiting videos do not query a registry every second. */
const RETRY_MS = 30_000;

export function createFindFfmpeg(config: FfmpegConfig): FindFfmpeg {
  let failed: { at: number; error: FfmpegMissing } | undefined;
  let fetching: Promise<string> | undefined;

  async function fetchOnce(): Promise<string> {
    if (failed && Date.now() - failed.at < RETRY_MS) throw failed.error;
    const target = await fetchedPath();
    try {
      await fetchFromWheel(FFMPEG_WHEEL, target, { signal: AbortSignal.timeout(FETCH_MS) });
      return target;
    } catch (error) {
      const { package: name, version } = FFMPEG_WHEEL;
      const reason = error instanceof PackageUnavailable ? error.message : String(error);
      const advice = 'install ffmpeg on the workers, or set FFMPEG_PATH in their environment';
      const missing = new FfmpegMissing(
        `there is no ffmpeg on PATH, and ${name} ${version} cannot be fetched (${reason}): ${advice}`,
        { cause: error },
      );
      failed = { at: Date.now(), error: missing };
      throw missing;
    }
  }

  return async (signal) => {
    const found = await locateFfmpeg(config);
    if (found) return found;
    signal.throwIfAborted();
    // Shared by all waiting callers: cancelling one does not stop the fetch for the others.
    fetching ??= fetchOnce().finally(() => (fetching = undefined));
    return unlessAborted(fetching, signal);
  };
}

/**
 * The path of an installed ffmpeg, or of the one fetched earlier.
 *
 * @throws FfmpegMissing if FFMPEG_PATH is not a program
 */
export async function locateFfmpeg({ FFMPEG_PATH }: FfmpegConfig): Promise<string | undefined> {
  if (FFMPEG_PATH !== undefined) {
    if (await isExecutable(FFMPEG_PATH)) return FFMPEG_PATH;
    throw new FfmpegMissing(
      `FFMPEG_PATH in the environment of the worker is ${FFMPEG_PATH}, which is not a program`,
    );
  }
  // The shell searches PATH, which only entry points read.
  const onPath = await run('/bin/sh', ['-c', 'command -v ffmpeg']).catch(() => undefined);
  if (onPath) return onPath.stdout.trim();
  const fetched = await fetchedPath();
  return (await isExecutable(fetched)) ? fetched : undefined;
}

/** In the project directory, or in the home directory if the former is read-only. */
async function fetchedPath(): Promise<string> {
  const writable = await mkdir(PROJECT_CACHE, { recursive: true })
    .then(() => access(PROJECT_CACHE, constants.W_OK))
    .then(
      () => true,
      () => false,
    );
  const folder = writable ? PROJECT_CACHE : join(homedir(), '.cache', 'darkroom');
  return join(folder, `ffmpeg-${FFMPEG_WHEEL.version}`);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );
}
