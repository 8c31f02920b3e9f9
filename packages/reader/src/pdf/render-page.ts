import {
  type PageBounds,
  type PageDrawing,
  type PageRaster,
  UnreadableDocument,
} from '../opened-document.ts';
import { LIMITS } from '../limits.ts';
import { evenContrast } from '../ocr-layout/even-contrast.ts';
import { straighten } from '../ocr-layout/straighten.ts';
import { runsSideways, turnBack } from '../ocr-layout/turn-raster.ts';
import type { PdfPage } from './open-pdf.ts';

/** Recommended for text recognition, and a little more than small print needs. */
const DPI = 200;
const POINTS_PER_INCH = 72;
const WHITE = 0xffffffff;
/** With annotations. */
const ANNOTATIONS = 0x01;
/** Formats of bitmaps, with their bytes a pixel and the flags to draw them. */
const GREY = { format: 1, bytes: 1, flags: ANNOTATIONS | 0x08 };
/** Blue first, unless the order is reversed. */
const RGB = { format: 2, bytes: 3, flags: ANNOTATIONS | 0x10 };

/** An image of a page, upright by its rotation, with level lines; 200 dpi, less if the pixel limit requires it. */
export function renderPage(page: PdfPage): PageRaster {
  const most = Math.sqrt(LIMITS.rasterPixels / (page.width * page.height));
  const scale = Math.min(DPI / POINTS_PER_INCH, most);
  const { width, height, pixels: grey } = draw(page, scale, GREY);
  const shown = evenContrast<PageRaster>({ width, height, grey, dpi: scale * POINTS_PER_INCH, turns: 0 });
  return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
}

/** A page as people see it, as large as the bounds allow. */
export function drawPage(page: PdfPage, bounds: PageBounds): PageDrawing {
  const scale = Math.min(
    bounds.width / page.width,
    bounds.height / page.height,
    Math.sqrt(LIMITS.rasterPixels / (page.width * page.height)),
  );
  const { width, height, pixels: rgb } = draw(page, scale, RGB);
  return { width, height, rgb };
}

function draw(page: PdfPage, scale: number, { format, bytes, flags }: typeof GREY) {
  const { pdfium, handle, forms } = page;
  const width = Math.max(1, Math.floor(page.width * scale));
  const height = Math.max(1, Math.floor(page.height * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, format, 0, 0);
  if (bitmap === 0) throw new UnreadableDocument('too_large', `No memory for ${width} × ${height} pixels.`);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, flags);
  if (forms !== 0) {
    pdfium.FORM_OnAfterLoadPage(handle, forms);
    pdfium.FPDF_FFLDraw(forms, bitmap, handle, 0, 0, width, height, 0, flags);
    pdfium.FORM_OnBeforeClosePage(handle, forms);
  }
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const rows = pdfium.bytes(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height);
  const row = width * bytes;
  const pixels = new Uint8Array(row * height);
  for (let at = 0; at < height; at++) pixels.set(rows.subarray(at * stride, at * stride + row), at * row);
  pdfium.FPDFBitmap_Destroy(bitmap);
  return { width, height, pixels };
}
