import { OBJECT } from './page-graphics.ts';
import type { PdfPage } from './open-pdf.ts';

/** The name of a mark around content of a layer. */
const LAYER = 'OC';
/** Groups of objects of a page that are tried; content of further ones is taken as shown. */
const MOST_GROUPS = 100;
/** Pixels of the longer side of a picture. */
const SIDE = 600;
const GREY = 1;
/** White and black text are both seen on the first, text of just its grey on the second. */
const BACKGROUNDS = [0xff808080, 0xffffffff];
/** Ways to draw text that leave nothing on the page, as a scan has its recognised text. */
const UNDRAWN = new Set([3, 7]);

/** Where objects begin among those drawn, and where they end. */
type Range = readonly [first: number, last: number];

/**
 * The objects of layers that are switched off. The engine says at most that an object is of a layer; whether the layer is
 * shown is seen from pictures of its objects alone.
 */
export function hiddenObjects(page: PdfPage): ReadonlySet<number> {
  const { pdfium, handle } = page;
  const hidden = new Set<number>();
  /** What is drawn, without the objects that contain others. */
  const drawn: number[] = [];
  /** By the marks of their layer. */
  const marked = new Map<string, Range[]>();
  /** What may be in a layer by itself does not say in which. */
  const forms: Range[] = [];
  let texts = 0;
  const layerOf = createNames(page);
  const isText = (object: number): boolean => pdfium.FPDFPageObj_GetType(object) === OBJECT.text;
  const isDrawn = (object: number): boolean =>
    !isText(object) || !UNDRAWN.has(pdfium.FPDFTextObj_GetTextRenderMode(object));
  const isDrawnText = (object: number): boolean => isText(object) && isDrawn(object);
  const visit = (object: number): void => {
    const isForm = pdfium.FPDFPageObj_GetType(object) === OBJECT.form;
    const [first, textsBefore] = [drawn.length, texts];
    if (isForm) {
      const count = pdfium.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count; index++) visit(pdfium.FPDFFormObj_GetObject(object, index));
    } else {
      drawn.push(object);
      if (isDrawnText(object)) texts += 1;
    }
    const range = [first, drawn.length] as const;
    const layer = layerOf(object);
    if (layer !== '') {
      const ranges = marked.get(layer) ?? [];
      marked.set(layer, ranges);
      ranges.push(range);
    } else if (isForm && page.hasLayeredForms && texts > textsBefore) forms.push(range);
  };
  const count = pdfium.FPDFPage_CountObjects(handle);
  for (let index = 0; index < count; index++) visit(pdfium.FPDFPage_GetObject(handle, index));
  const groups = [...marked.values(), ...forms.map((range) => [range])].slice(0, MOST_GROUPS);
  if (groups.length === 0) return hidden;
  const show = (objects: readonly number[], isShown: 0 | 1): void => {
    for (const object of objects) pdfium.FPDFPageObj_SetIsActive(object, isShown);
  };
  show(drawn, 0);
  const empty = BACKGROUNDS.map((background) => ({ background, pixels: picture(page, background) }));
  for (const ranges of groups) {
    const objects = ranges.flatMap(([first, last]) => drawn.slice(first, last));
    show(objects, 1);
    if (empty.every(({ background, pixels }) => picture(page, background).equals(pixels))) {
      // Text that is never drawn goes with text that is.
      const hidesText = objects.some(isDrawnText);
      for (const object of objects) if (hidesText || isDrawn(object)) hidden.add(object);
    }
    show(objects, 0);
  }
  show(drawn, 1);
  return hidden;
}

/** Tells the layers around an object, with what tells them apart; empty for none. */
function createNames({ pdfium }: PdfPage): (object: number) => string {
  const known = new Map<number, string>();
  const nameOf = (mark: number): string => {
    const named = pdfium.written((buffer, length) => {
      pdfium.FPDFPageObjMark_GetName(mark, buffer, length, pdfium.at(0));
      return pdfium.int(0);
    });
    if (named.toString('utf16le').replace(/\0$/, '') !== LAYER) return '';
    const key = pdfium.at(32);
    pdfium.bytes(key, 5).set(Buffer.from('Name\0'));
    const name = pdfium.written((buffer, length) =>
      pdfium.FPDFPageObjMark_GetParamStringValue(mark, key, buffer, length, pdfium.at(0)) === 1
        ? pdfium.int(0)
        : 0,
    );
    // Combinations of layers have no name.
    return `/${name.toString('utf16le').replace(/\0$/, '') || mark}`;
  };
  return (object) => {
    let names = '';
    const count = pdfium.FPDFPageObj_CountMarks(object);
    for (let index = 0; index < count; index++) {
      const mark = pdfium.FPDFPageObj_GetMark(object, index);
      const name = known.get(mark) ?? nameOf(mark);
      known.set(mark, name);
      names += name;
    }
    return names;
  };
}

function picture({ pdfium, handle, width, height }: PdfPage, background: number): Buffer {
  const scale = SIDE / Math.max(width, height);
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const bitmap = pdfium.FPDFBitmap_CreateEx(across, down, GREY, 0, 0);
  if (bitmap === 0) return Buffer.alloc(0);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, background);
  pdfium.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, across, down, 0, 0x08);
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const pixels = Buffer.from(pdfium.bytes(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * down));
  pdfium.FPDFBitmap_Destroy(bitmap);
  return pixels;
}
