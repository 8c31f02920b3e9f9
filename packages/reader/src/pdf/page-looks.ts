import { createHash } from 'node:crypto';
import type { PageLook } from '../opened-document.ts';
import type { PdfPage } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';

/** Types of page objects. */
const [TEXT, FORM] = [1, 5];
/** A page with more objects is a drawing; its fonts are in the first ones. */
const MOST_OBJECTS = 20_000;
const MOST_FONTS = 40;

/** The size of a page, and the embedded fonts of its text. */
export function lookOfPage({ pdfium, handle, width, height }: PdfPage): PageLook {
  const handles = new Set<number>();
  let left = MOST_OBJECTS;
  const visit = (object: number): void => {
    if (left-- <= 0 || object === 0) return;
    const type = pdfium.FPDFPageObj_GetType(object);
    if (type === TEXT) handles.add(pdfium.FPDFTextObj_GetFont(object));
    if (type !== FORM) return;
    const count = Math.min(left, pdfium.FPDFFormObj_CountObjects(object));
    for (let index = 0; index < count; index++) visit(pdfium.FPDFFormObj_GetObject(object, index));
  };
  const count = Math.min(left, pdfium.FPDFPage_CountObjects(handle));
  for (let index = 0; index < count; index++) visit(pdfium.FPDFPage_GetObject(handle, index));
  const fonts = [...handles].slice(0, MOST_FONTS).flatMap((font) => identityOf(pdfium, font) ?? []);
  return { width: Math.round(width), height: Math.round(height), fonts: [...new Set(fonts)] };
}

/** The same for the same font of one document; the subsets of two documents usually differ. Undefined if it is not embedded. */
function identityOf(pdfium: Pdfium, font: number): string | undefined {
  if (font === 0 || pdfium.FPDFFont_GetIsEmbedded(font) !== 1) return undefined;
  const name = pdfium.written((buffer, length) => pdfium.FPDFFont_GetBaseFontName(font, buffer, length));
  pdfium.FPDFFont_GetFontData(font, 0, 0, pdfium.at(0));
  return createHash('md5')
    .update(name)
    .update(String(pdfium.int(0)))
    .digest('base64url')
    .slice(0, 8);
}
