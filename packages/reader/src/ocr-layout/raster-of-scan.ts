/** Images of pages, such as scans, for a recogniser. */
import type { Metadata, Sharp } from 'sharp';
import { LIMITS } from '../limits.ts';
import { type PageRaster, UnreadableDocument } from '../opened-document.ts';
import { straighten } from './straighten.ts';
import { runsSideways, turnBack } from './turn-raster.ts';

/** Recommended for text recognition. */
const DPI = 200;
/** Of files that do not name theirs; programs then write 72. */
const UNKNOWN_DPI = 72;
/** The longer side of a usual sheet, in inches. */
const SHEET = 11.7;
/** Shorter sheets are not scanned: such a file names a wrong density, and its text would be scaled to nothing. */
const SHORTEST_SHEET = 3;
/** Pixels of a page as stored: A3 at 600 dpi, and half as many again. */
export const MAX_PIXELS = 100_000_000;

/** @throws UnreadableDocument for what is no image */
export async function headerOf(image: Sharp): Promise<Metadata> {
  try {
    return await image.metadata();
  } catch (cause) {
    throw new UnreadableDocument('damaged', 'The image is damaged or of an unknown kind.', { cause });
  }
}

/** An image as a page, level and upright as far as its lines tell. @throws UnreadableDocument */
export async function rasterOfScan(
  image: Sharp,
  { width, height, density = UNKNOWN_DPI }: Metadata,
): Promise<PageRaster> {
  if (width * height > MAX_PIXELS)
    throw new UnreadableDocument('too_large', `The page has ${width} × ${height} pixels.`);
  const longest = Math.max(width, height);
  const isNamed = density > UNKNOWN_DPI && longest / density >= SHORTEST_SHEET;
  const dpi = isNamed ? density : longest / SHEET;
  const scale = Math.min(1, DPI / dpi, Math.sqrt(LIMITS.rasterPixels / (width * height)));
  const longer = Math.max(1, Math.floor(longest * scale));
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: '#fff' })
    .resize(longer, longer, { fit: 'inside' })
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      throw new UnreadableDocument('damaged', 'The page is damaged.', { cause });
    });
  const grey = new Uint8Array(data.buffer, data.byteOffset, data.length);
  const shown: PageRaster = { width: info.width, height: info.height, grey, dpi: dpi * scale, turns: 0 };
  return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
}
