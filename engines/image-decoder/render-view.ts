import { decodeRaster, type EncodedRaster, fromRaster, isOpaque, type Raster } from './codec.ts';

/** An image for a reader of small print. Without metadata. */
export interface RenderedView extends EncodedRaster {
  width: number;
  height: number;
}

export interface ViewSize {
  /** Bound of the longer side in pixels. */
  maxDimension: number;
}

/** Keeps thin coloured lines apart, which the usual subsampling blends. */
const CRISP = { quality: 90, chromaSubsampling: '4:4:4' } as const;
/** Fits the strictest provider, which accepts 5 MB as base64; larger views are too busy to have thin lines. */
const MAX_BYTES = 3_500_000;
const COARSE = { quality: 70 } as const;

/**
 * Renders one upright, bounded view of an image; a GIF's first frame.
 *
 * @param original the bytes of a JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF
 * @throws ImageRefused IMAGE_UNREADABLE
 */
export async function renderView(original: Uint8Array, { maxDimension }: ViewSize): Promise<RenderedView> {
  const raster = await decodeRaster(original, maxDimension);
  const { width, height } = raster;
  const flat = () => fromRaster(raster).flatten({ background: '#fff' });
  const crisp = isOpaque(raster)
    ? await flat().jpeg(CRISP).toBuffer()
    : await fromRaster(raster).webp({ quality: 90, effort: 2 }).toBuffer();
  if (crisp.byteLength > MAX_BYTES) {
    return { width, height, contentType: 'image/jpeg', bytes: await flat().jpeg(COARSE).toBuffer() };
  }
  return { width, height, contentType: isOpaque(raster) ? 'image/jpeg' : 'image/webp', bytes: crisp };
}

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
 * @param original the bytes of a JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF
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
