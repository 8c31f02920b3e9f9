import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ffmpegConfig } from '../../../engines/video-reader/config.ts';
import { locateFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

const run = promisify(execFile);

/** Checks the ffmpeg on this machine, which decodes videos. Downloads nothing. */
export const videos: Area = {
  name: 'Videos',
  slices: [ffmpegConfig],
  async check(env, report) {
    const path = await locateFfmpeg(readConfig([ffmpegConfig], env));
    if (path === undefined) {
      report.warn(
        'ffmpeg',
        'none on PATH: downloaded with pip at the first video, if possible',
        'install ffmpeg, or set FFMPEG_PATH',
      );
      return;
    }
    const { stdout } = await run(path, ['-hide_banner', '-version'], { env: {} });
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'unknown';
    report.ok('ffmpeg', `${version} at ${path}, a separate program under its own licence`);
  },
  remedy: () => 'install ffmpeg on every machine with workers of the queue video, or correct FFMPEG_PATH',
};
