import sharp, { type Sharp, type SharpOptions } from 'sharp';
import {
  type OpenDocument,
  type PageBounds,
  type PageDrawing,
  UnreadableDocument,
} from '../opened-document.ts';
import { checkPageCount } from '../limits.ts';
import { headerOf, MAX_PIXELS, rasterOfScan } from '../ocr-layout/raster-of-scan.ts';

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
      return rasterOfScan(open({ page, limitInputPixels: MAX_PIXELS }), header);
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
    .catch((cause: unknown) => {
      throw new UnreadableDocument('damaged', 'The page is damaged.', { cause });
    });
  return { width: info.width, height: info.height, rgb: data };
}
