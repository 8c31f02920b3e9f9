import { decodeRaster } from './codec.ts';
import { fromRaster, type Raster } from './raster.ts';

/** Luminance of an upright image, 8 bits per pixel, row by row; transparent areas are white. */
export interface GreyImage {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface GreySize {
  /** Bound of the longer side in pixels. */
  maxDimension: number;
  /** An image smaller than the bound may grow by this factor; 1 keeps its size. */
  maxEnlargement: number;
}

/**
 * @param original the bytes of a JPEG, PNG, WebP or GIF
 * @throws ImageRefused IMAGE_UNREADABLE
 */
export async function greyImage(
  original: Uint8Array,
  { maxDimension, maxEnlargement }: GreySize,
): Promise<GreyImage> {
  const raster = await decodeRaster(original, maxDimension);
  const enlargement = Math.min(maxEnlargement, maxDimension / Math.max(raster.width, raster.height));
  return greyOf(raster, Math.max(1, Math.round(raster.width * enlargement)));
}

/** The luminance of decoded pixels, optionally scaled to another width. */
export async function greyOf(raster: Raster, width = raster.width): Promise<GreyImage> {
  const { data, info } = await fromRaster(raster)
    .flatten({ background: '#fff' })
    .greyscale()
    .resize(width)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
