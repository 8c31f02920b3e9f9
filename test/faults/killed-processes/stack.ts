import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { startOwnStack } from '../../support/own-stack.ts';

/** Expiry of direct uploads in seconds: long enough for the tests, and over before the last of them. */
export const DIRECT_UPLOAD_SECONDS = 40;

const programs = await mkdtemp(join(tmpdir(), 'darkroom-programs-'));
/** Path at which the workers expect ffmpeg; the video tests put it there. */
export const FFMPEG_PATH = join(programs, 'ffmpeg');
/** Where the worker that reads documents has its temporary files. */
export const TEMPORARY_FILES = join(programs, 'temporary');
await mkdir(TEMPORARY_FILES);

/** The stack whose API and workers the tests in this folder kill. Its servers are never down. */
export const own = await startOwnStack(
  {
    UPLOAD_MEMORY_BYTES_PER_TENANT: '21000000',
    DIRECT_UPLOAD_SECONDS: String(DIRECT_UPLOAD_SECONDS),
  },
  { FFMPEG_PATH, VIDEO_SLOTS: '1', TMPDIR: TEMPORARY_FILES },
);
afterEach(async (context) => {
  if ('passed' in context && !context.passed) await own.startStopped();
});
after(async () => {
  await own.stop();
  await rm(programs, { recursive: true });
});
