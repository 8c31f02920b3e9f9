/**
 * The module of a decoder process, which handles one image at a time. It has no secrets and no state, so a crafted
 * image that exploits a codec gains nothing.
 */
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { ElementContent } from 'darkroom-reader/document';
import type { Margins } from '../../domain/compliance/compliance.ts';
import { decodeRaster } from './codec.ts';
import { type ImageErrorCode, ImageRefused } from './errors.ts';
import {
  type GreyImage,
  greyImage,
  type GreySize,
  type RenderedView,
  renderView,
  type ViewSize,
} from './render-view.ts';
import { measureMargins } from './measure/measure-margins.ts';
import { type RenderedImage, renderImage, type RenderOptions } from './render-image.ts';
import { type SetPage, setPage, type SheetSize } from './set-page/set-page.ts';

/** Margins have no options. */
type MarginOptions = Record<string, never>;

/** The tasks of a decoder for one image. */
export interface Tasks {
  render: { options: RenderOptions; result: RenderedImage };
  grey: { options: GreySize; result: GreyImage };
  view: { options: ViewSize; result: RenderedView };
  margins: { options: MarginOptions; result: Margins };
  /** Of no image, but of the elements of a page. */
  setPage: { options: { elements: readonly ElementContent[]; size: SheetSize }; result: SetPage };
}
export type TaskName = keyof Tasks;

/** Parent to child: one image; the next only after the reply. */
export type DecodeRequest = {
  [Name in TaskName]: { task: Name; options: Tasks[Name]['options']; label: string; original: Uint8Array };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the image. */
export type DecodeReply =
  | { kind: 'done'; result: Tasks[TaskName]['result'] }
  | { kind: 'refused'; code: ImageErrorCode; detail: string }
  | { kind: 'failed'; message: string };

const IDLE = 'darkroom-decoder idle';
/** Longer side in pixels, large enough to show a border of a few pixels. */
const MARGINS_SIDE = 1024;

process.title = IDLE;

// One thread per image, as there is one process per core; unrelated images share nothing worth caching.
sharp.concurrency(1);
sharp.cache(false);
// Only the accepted formats can be opened, whatever format the bytes claim.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
    'VipsForeignLoadTiffBuffer',
  ],
});
// When memory runs out, Linux should kill the decoder, not a worker or the database.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

export async function handle(request: DecodeRequest): Promise<DecodeReply> {
  process.title = `darkroom-decoder ${request.label}`;
  try {
    return await decode(request);
  } finally {
    process.title = IDLE;
  }
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
      return greyImage(original, options);
    case 'view':
      return renderView(original, options);
    case 'margins':
      return measureMargins(await decodeRaster(original, MARGINS_SIDE));
    case 'setPage':
      return setPage(options.elements, options.size);
  }
}
