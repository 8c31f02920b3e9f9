import sharp, { type FailOnOptions } from 'sharp';
import { MAX_IMAGE_PIXELS } from '../../domain/variants.ts';
import { ImageRefused } from './errors.ts';
import { bound, fromRaster, type Raster, toRaster } from './raster.ts';

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

export interface EncodedRaster {
  contentType: 'image/jpeg' | 'image/webp';
  bytes: Uint8Array;
}

/**
 * Opaque rasters become JPEG, which encodes 1024 px in 8 ms where WebP takes 25–60; transparent ones WebP, a fortieth of
 * the size of PNG. Compared with the default effort 4, effort 2 saves a third of the time for 5 % in size.
 */
export async function encodeVariant(raster: Raster, opaque: boolean): Promise<EncodedRaster> {
  const pipeline = fromRaster(raster);
  return opaque
    ? { contentType: 'image/jpeg', bytes: await pipeline.jpeg({ quality: 80 }).toBuffer() }
    : { contentType: 'image/webp', bytes: await pipeline.webp({ quality: 80, effort: 2 }).toBuffer() };
}

/**
 * Maps a failed read to an error. The codec reports out-of-memory and corrupt bytes alike; only the latter is the
 * image's fault, so the former is returned unchanged and may be retried.
 */
export function explainReadFailure(error: unknown): unknown {
  const detail = error instanceof Error ? error.message : String(error);
  return /out of memory|allocat/i.test(detail) ? error : new ImageRefused('IMAGE_UNREADABLE', detail);
}
