import { createCanvas } from '@napi-rs/canvas';
import type { PageRaster } from '../document-reader.ts';
import { LIMITS } from '../limits.ts';
import { straighten } from '../ocr-layout/straighten.ts';
import { runsSideways, turnBack } from '../ocr-layout/turn-raster.ts';
import type { Pdf } from './open-pdf.ts';

/** What recognisers of text are made for, and a little more than small print needs. */
const DPI = 200;
const POINTS_PER_INCH = 72;

/** An image of a page, upright as its rotation says and with level lines, at 200 dpi or as many as the limit of pixels allows. */
export async function renderPdfPage(pdf: Pdf, pageNumber: number): Promise<PageRaster> {
  const page = await pdf.getPage(pageNumber);
  try {
    const points = page.getViewport({ scale: 1 });
    const most = Math.sqrt(LIMITS.rasterPixels / (points.width * points.height));
    const scale = Math.min(DPI / POINTS_PER_INCH, most);
    const viewport = page.getViewport({ scale });
    const [width, height] = [
      Math.max(1, Math.floor(viewport.width)),
      Math.max(1, Math.floor(viewport.height)),
    ];
    const canvas = createCanvas(width, height);
    const context = canvas.getContext('2d');
    await page.render({
      canvas: canvas as never,
      canvasContext: context as never,
      viewport,
      background: '#ffffff',
    }).promise;
    const { data } = context.getImageData(0, 0, width, height);
    const grey = new Uint8Array(width * height);
    for (let pixel = 0; pixel < grey.length; pixel++) {
      const at = pixel * 4;
      // Luminance of Rec. 601, in whole numbers.
      grey[pixel] = ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 150 + (data[at + 2] ?? 0) * 29) >> 8;
    }
    const shown: PageRaster = { width, height, grey, dpi: scale * POINTS_PER_INCH, turns: 0 };
    return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
  } finally {
    page.cleanup();
    await pdf.cleanup();
  }
}
