import { type PageRaster, UnreadableDocument } from '../opened-document.ts';
import { LIMITS } from '../limits.ts';
import { evenContrast } from '../ocr-layout/even-contrast.ts';
import { straighten } from '../ocr-layout/straighten.ts';
import { runsSideways, turnBack } from '../ocr-layout/turn-raster.ts';
import type { PdfPage } from './open-pdf.ts';

/** Recommended for text recognition, and a little more than small print needs. */
const DPI = 200;
const POINTS_PER_INCH = 72;
/** A byte a pixel. */
const GREY = 1;
const WHITE = 0xffffffff;
/** With annotations, in levels of grey. */
const FLAGS = 0x01 | 0x08;

/** An image of a page, upright by its rotation, with level lines; 200 dpi, less if the pixel limit requires it. */
export function renderPage(page: PdfPage): PageRaster {
  const { pdfium, handle, forms } = page;
  const most = Math.sqrt(LIMITS.rasterPixels / (page.width * page.height));
  const scale = Math.min(DPI / POINTS_PER_INCH, most);
  const width = Math.max(1, Math.floor(page.width * scale));
  const height = Math.max(1, Math.floor(page.height * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, GREY, 0, 0);
  if (bitmap === 0) throw new UnreadableDocument('too_large', `No memory for ${width} × ${height} pixels.`);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, FLAGS);
  if (forms !== 0) {
    pdfium.FORM_OnAfterLoadPage(handle, forms);
    pdfium.FPDF_FFLDraw(forms, bitmap, handle, 0, 0, width, height, 0, FLAGS);
    pdfium.FORM_OnBeforeClosePage(handle, forms);
  }
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const pixels = pdfium.bytes(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height);
  const grey = new Uint8Array(width * height);
  for (let row = 0; row < height; row++)
    grey.set(pixels.subarray(row * stride, row * stride + width), row * width);
  pdfium.FPDFBitmap_Destroy(bitmap);
  const shown = evenContrast<PageRaster>({ width, height, grey, dpi: scale * POINTS_PER_INCH, turns: 0 });
  return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
}
