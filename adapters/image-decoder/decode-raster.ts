import sharp, { type FailOnOptions } from 'sharp';
import { MAX_IMAGE_PIXELS } from '../../domain/variants.ts';
import { explainReadFailure } from './explain-read-failure.ts';
import { bound, toRaster, type Raster } from './raster.ts';

const END_OF_JPEG = Uint8Array.of(0xff, 0xd9);

/**
 * Decodes the first frame of an image once, straight to a raster whose longer side is bounded, upright and in sRGB.
 * JPEG and WebP shrink while they decode, so a 24 megapixel photograph is never fully in memory.
 *
 * A truncated image is refused; internal damage and stray bytes are rendered as browsers do. A JPEG that lacks only its
 * end marker, as some cameras write it, is complete: with the marker restored it must decode without a single warning.
 *
 * @throws ImageRefused IMAGE_UNREADABLE
 */
export async function decodeRaster(original: Uint8Array, maxDimension: number): Promise<Raster> {
  try {
    return await decode(original, maxDimension, 'truncated');
  } catch (error) {
    const isJpeg = original[0] === 0xff && original[1] === 0xd8;
    if (!isJpeg) throw explainReadFailure(error);
    return decode(Buffer.concat([original, END_OF_JPEG]), maxDimension, 'warning').catch(() => {
      throw explainReadFailure(error);
    });
  }
}

function decode(original: Uint8Array, maxDimension: number, failOn: FailOnOptions): Promise<Raster> {
  const pipeline = sharp(original, { limitInputPixels: MAX_IMAGE_PIXELS, failOn });
  return toRaster(bound(pipeline.autoOrient(), maxDimension));
}
