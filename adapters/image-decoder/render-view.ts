import { decodeRaster, type EncodedRaster } from './codec.ts';
import { fromRaster, isOpaque } from './raster.ts';

/** An image for a reader of small print. Without any metadata. */
export interface RenderedView extends EncodedRaster {
  width: number;
  height: number;
}

export interface ViewSize {
  /** Bound of the longer side in pixels. */
  maxDimension: number;
}

/** Keep thin coloured lines apart, which the usual subsampling blends. */
const CRISP = { quality: 90, chromaSubsampling: '4:4:4' } as const;
/** Of an image so busy that it has no thin lines: the strictest provider takes 5 MB, as base64. */
const MAX_BYTES = 3_500_000;
const COARSE = { quality: 70 } as const;

/**
 * Renders one upright, bounded view of an image; a GIF's first frame.
 *
 * @param original the bytes of a JPEG, PNG, WebP or GIF
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
