/**
 * A decoder process: handles one image at a time for its parent, and may be killed at any time. It has no secrets and
 * no state, so a crafted image that exploits a codec gains nothing.
 */
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { decodeRaster } from '../decode-raster.ts';
import { ImageRefused } from '../errors.ts';
import { greyPicture } from '../grey-picture.ts';
import type { DecodeReply, DecodeRequest, TaskName, Tasks } from './messages.ts';
import { measureMargins } from '../measure/measure-margins.ts';
import { renderImage } from '../render-image.ts';
import { renderView } from '../render-view.ts';

const IDLE = 'darkroom-decoder idle';
/** Of the longer side in pixels: a border of a few pixels still shows. */
const MARGINS_SIDE = 1024;

process.title = IDLE;
// Only the parent ends this process: a Ctrl-C to the whole process group must not interrupt an image being drained.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// The parent is gone. process.exit would wait for the codec's thread to finish its image.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request) => void answer(request as DecodeRequest));

// One thread per image, as there is a process for each core; nothing is worth caching between unrelated images.
sharp.concurrency(1);
sharp.cache(false);
// Only the four accepted formats can be opened, whatever the bytes claim to be.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});
// When memory runs out, Linux should kill the decoder, not a worker or the database.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

async function answer(request: DecodeRequest): Promise<void> {
  process.title = `darkroom-decoder ${request.label}`;
  const reply = await decode(request);
  process.title = IDLE;
  process.send?.(reply);
}

async function decode(request: DecodeRequest): Promise<DecodeReply> {
  try {
    return { kind: 'done', result: await perform(request) };
  } catch (error) {
    if (error instanceof ImageRefused) return { kind: 'refused', code: error.code, detail: error.detail };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

async function perform({ task, options, original }: DecodeRequest): Promise<Tasks[TaskName]['result']> {
  switch (task) {
    case 'render':
      return renderImage(original, options);
    case 'grey':
      return greyPicture(original, options);
    case 'view':
      return renderView(original, options);
    case 'margins':
      return measureMargins(await decodeRaster(original, MARGINS_SIDE));
  }
}
