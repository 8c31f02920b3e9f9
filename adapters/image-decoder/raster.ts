import sharp, { type Sharp } from 'sharp';

/** Decoded pixels: 8-bit sRGB, row by row, three channels or four with straight (not premultiplied) alpha. */
export interface Raster {
  data: Uint8Array;
  width: number;
  height: number;
  channels: 3 | 4;
}

/** A pipeline over pixels that are already decoded. */
export function fromRaster({ data, width, height, channels }: Raster): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

/** Runs a pipeline and returns its pixels as 8-bit sRGB, whatever the colour space and bit depth of its input. */
export async function toRaster(pipeline: Sharp): Promise<Raster> {
  const { data, info } = await pipeline
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 };
}

/**
 * Bounds the longer side of an image, keeping the aspect ratio and never enlarging. Both sides shrink by one factor,
 * so that the cascade matches a resize straight from the original.
 */
export function bound(pipeline: Sharp, maxDimension: number): Sharp {
  return pipeline.resize(maxDimension, maxDimension, { fit: 'inside', withoutEnlargement: true });
}

/** Returns the same raster object if it is small enough, so that callers can compare by identity. */
export async function shrinkRaster(raster: Raster, maxDimension: number): Promise<Raster> {
  if (Math.max(raster.width, raster.height) <= maxDimension) return raster;
  return toRaster(bound(fromRaster(raster), maxDimension));
}

/** Whether no pixel is transparent, not even partly. */
export function isOpaque({ data, channels }: Raster): boolean {
  if (channels === 3) return true;
  for (let alpha = 3; alpha < data.length; alpha += 4) if (data[alpha] !== 255) return false;
  return true;
}
