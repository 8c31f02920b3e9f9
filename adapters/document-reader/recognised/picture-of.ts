import { createCanvas } from '@napi-rs/canvas';
import type { PagePicture, PageRaster } from '../document-reader.ts';
import type { QuarterTurns } from '../layout/turn-box.ts';
import { turnBack } from './turn-raster.ts';

const QUALITY = 85;
/** Four bytes of a pixel at once: the same value for red, green and blue. */
const GREY = 0x010101;
const OPAQUE = 0xff000000;

/**
 * A rendered page as a JPEG.
 *
 * @param turns of the page, which may be more than its shape told, as its text was upside down
 * @param maxDimension of the longer side, in pixels
 */
export async function pictureOf(
  raster: PageRaster,
  { turns, maxDimension }: { turns: QuarterTurns; maxDimension: number },
): Promise<PagePicture> {
  const { grey, width, height } = turnBack(raster, ((turns - raster.turns + 4) % 4) as QuarterTurns);
  const whole = createCanvas(width, height);
  const context = whole.getContext('2d');
  const pixels = context.createImageData(width, height);
  const { data } = pixels;
  const packed = new Uint32Array(data.buffer, data.byteOffset, width * height);
  for (let at = 0; at < packed.length; at++) packed[at] = OPAQUE | ((grey[at] ?? 255) * GREY);
  context.putImageData(pixels, 0, 0);
  const scale = Math.min(1, maxDimension / Math.max(width, height));
  const shown = createCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const scaled = shown.getContext('2d');
  scaled.imageSmoothingQuality = 'high';
  scaled.drawImage(whole, 0, 0, shown.width, shown.height);
  return { bytes: await shown.encode('jpeg', QUALITY), contentType: 'image/jpeg' };
}
