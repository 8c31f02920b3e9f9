import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFindFfmpeg } from '../../engines/video-reader/find-ffmpeg.ts';

const run = promisify(execFile);
const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: undefined });
const ENCODER = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** A clip of six seconds, unique by its title. */
export function makeClip(title: string): Promise<Buffer> {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=25:d=6'];
  return made((path) => [[...source, ...ENCODER, '-metadata', `title=${title}`, path]]);
}

/** A black film in 8K: 100 KB for each second, which takes seconds to decode. */
export function makeFilm(seconds: number): Promise<Buffer> {
  const source = ['-f', 'lavfi', '-i', 'color=black:s=7680x4320:r=25:d=1'];
  return made((path) => {
    const second = `${path}.second.mp4`;
    const repeated = ['-stream_loop', String(seconds - 1), '-i', second, '-c', 'copy', path];
    return [[...source, ...ENCODER, second], repeated];
  });
}

/** Runs ffmpeg with each of the arguments in turn. Returns the bytes of the file. */
async function made(commands: (path: string) => string[][]): Promise<Buffer> {
  const ffmpeg = await findFfmpeg(AbortSignal.timeout(120_000));
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-noisy-'));
  try {
    const path = join(folder, 'made.mp4');
    for (const args of commands(path)) await run(ffmpeg, ['-nostdin', '-v', 'error', ...args]);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
