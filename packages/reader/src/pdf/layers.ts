import type { PdfPage } from './open-pdf.ts';

/** The name of a mark around content of a layer. */
const LAYER = 'OC';
/** Layers of a page that are tried; content of further ones is taken as shown. */
const MOST_LAYERS = 20;
/** Pixels of the longer side of the page's picture. */
const SIDE = 600;
const GREY = 1;
const WHITE = 0xffffffff;

/**
 * Tells the objects of layers that are switched off. The engine says only that an object is of a layer; whether it is shown
 * is seen from a picture of the page with it and one without.
 */
export function createLayers(page: PdfPage): { isHidden(object: number): boolean } {
  const { pdfium } = page;
  /** By the marks of an object; undefined for those of no layer. */
  const hidden = new Map<string, boolean>();
  let whole: Buffer | undefined;
  return {
    isHidden(object) {
      const layer = layerOf(page, object);
      if (layer === '') return false;
      const known = hidden.get(layer);
      if (known !== undefined) return known;
      if (hidden.size >= MOST_LAYERS) return false;
      whole ??= picture(page);
      pdfium.FPDFPageObj_SetIsActive(object, 0);
      const isHidden = whole.equals(picture(page));
      pdfium.FPDFPageObj_SetIsActive(object, 1);
      hidden.set(layer, isHidden);
      return isHidden;
    },
  };
}

/** The layers around an object, with what tells them apart; empty for none. */
function layerOf({ pdfium }: PdfPage, object: number): string {
  const count = pdfium.FPDFPageObj_CountMarks(object);
  const names: string[] = [];
  for (let index = 0; index < count; index++) {
    const mark = pdfium.FPDFPageObj_GetMark(object, index);
    const named = pdfium.written((buffer, length) => {
      pdfium.FPDFPageObjMark_GetName(mark, buffer, length, pdfium.at(0));
      return pdfium.int(0);
    });
    if (named.toString('utf16le').replace(/\0$/, '') !== LAYER) continue;
    const key = pdfium.at(32);
    pdfium.bytes(key, 5).set(Buffer.from('Name\0'));
    const name = pdfium.written((buffer, length) =>
      pdfium.FPDFPageObjMark_GetParamStringValue(mark, key, buffer, length, pdfium.at(0)) === 1
        ? pdfium.int(0)
        : 0,
    );
    // Combinations of layers have no name.
    names.push(`/${name.toString('utf16le').replace(/\0$/, '') || mark}`);
  }
  return names.join('');
}

function picture({ pdfium, handle, width, height }: PdfPage): Buffer {
  const scale = SIDE / Math.max(width, height);
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const bitmap = pdfium.FPDFBitmap_CreateEx(across, down, GREY, 0, 0);
  if (bitmap === 0) return Buffer.alloc(0);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, across, down, 0, 0x08);
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const pixels = Buffer.from(pdfium.bytes(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * down));
  pdfium.FPDFBitmap_Destroy(bitmap);
  return pixels;
}
