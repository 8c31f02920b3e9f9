import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import {
  type OpenDocument,
  type PageBounds,
  type PageDrawing,
  type PageRaster,
  UnreadableDocument,
} from '../opened-document.ts';
import { checkPageCount, LIMITS } from '../limits.ts';
import { straighten } from '../ocr-layout/straighten.ts';
import { runsSideways, turnBack } from '../ocr-layout/turn-raster.ts';

/** Recommended for text recognition. */
const DPI = 200;
/** Of files that do not name theirs; programs then write 72. */
const UNKNOWN_DPI = 72;
/** The longer side of a usual sheet, in inches. */
const SHEET = 11.7;
/** Shorter sheets are not scanned: such a file names a wrong density, and its text would be scaled to nothing. */
const SHORTEST_SHEET = 3;
/** Pixels of a page as stored: A3 at 600 dpi, and half as many again. */
const MAX_PIXELS = 100_000_000;

sharp.concurrency(1);
sharp.cache(false);

/** A scan or fax: every page is an image, to be recognised. @throws UnreadableDocument */
export async function openTiff(path: string): Promise<OpenDocument> {
  const open = (options: SharpOptions): Sharp => sharp(path, { failOn: 'none', ...options });
  const { pages: pageCount = 1 } = await headerOf(open({ limitInputPixels: false }));
  checkPageCount(pageCount);
  return {
    pageCount,
    inspect: async () => ({
      pageCount,
      title: null,
      author: null,
      createdAt: null,
      language: null,
      pagesToRecognise: Array.from({ length: pageCount }, (_, at) => at + 1),
      profile: {},
    }),
    readPages: async () => {
      throw new UnreadableDocument('damaged', 'The pages of a TIFF have no text to read.');
    },
    async renderPage(number) {
      const page = number - 1;
      const header = await headerOf(open({ page, limitInputPixels: false }));
      return renderPage(open({ page, limitInputPixels: MAX_PIXELS }), header);
    },
    drawPage: async (number, bounds) =>
      drawPage(open({ page: number - 1, limitInputPixels: MAX_PIXELS }), bounds),
    close: async () => undefined,
  };
}

async function drawPage(image: Sharp, bounds: PageBounds): Promise<PageDrawing> {
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: '#fff' })
    .resize({ ...bounds, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(damagedPage);
  return { width: info.width, height: info.height, rgb: data };
}

function damagedPage(cause: unknown): never {
  throw new UnreadableDocument('damaged', 'The page is damaged.', { cause });
}

async function headerOf(image: Sharp): Promise<Metadata> {
  try {
    return await image.metadata();
  } catch (cause) {
    throw new UnreadableDocument('damaged', 'The document is damaged or not a TIFF.', { cause });
  }
}

async function renderPage(
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
    .catch(damagedPage);
  const grey = new Uint8Array(data.buffer, data.byteOffset, data.length);
  const shown: PageRaster = { width: info.width, height: info.height, grey, dpi: dpi * scale, turns: 0 };
  return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
}
