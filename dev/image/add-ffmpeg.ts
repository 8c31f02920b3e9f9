import { copyFile } from 'node:fs/promises';
import { createFindFfmpeg } from '../../adapters/video-reader/find-ffmpeg.ts';

const WITHIN_MS = 10 * 60_000;

/** `node dev/image/add-ffmpeg.ts FILE`: puts the pinned ffmpeg of the Python wheel into a container image. */
const [, , file] = process.argv;
if (file === undefined) throw new Error('Usage: node dev/image/add-ffmpeg.ts FILE');
const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: undefined });
await copyFile(await findFfmpeg(AbortSignal.timeout(WITHIN_MS)), file);
