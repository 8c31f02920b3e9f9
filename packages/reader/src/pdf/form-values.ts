import { SaxesParser } from 'saxes';
import type { PageElement } from '../document/page.ts';
import { cleanText } from '../layout/plain-text.ts';
import { LIMITS } from '../limits.ts';
import type { Pdfium } from './pdfium.ts';

/** PDFium's number of forms that programs lay out themselves. */
const DYNAMIC_FORM = 2;
const MOST_PACKETS = 50;
const MOST_VALUES = 5_000;
const LONGEST = 10_000;
const PIECE = 64 * 1024;
/** The namespace of text with formats, and its elements that begin a line. */
const FORMATTED = 'http://www.w3.org/1999/xhtml';
const LINES = new Set(['p', 'div', 'li', 'br']);

/** Whether the document is a form that only programs of Adobe show (XFA); its pages say no more than that. */
export const isDynamicForm = (pdfium: Pdfium, document: number): boolean =>
  pdfium.FPDF_GetFormType(document) === DYNAMIC_FORM;

/** The XML of what was filled in such a form: it is on no page. Empty if there is none. */
export function readFormData(pdfium: Pdfium, document: number): string {
  const count = isDynamicForm(pdfium, document) ? pdfium.FPDF_GetXFAPacketCount(document) : 0;
  for (let index = 0; index < Math.min(count, MOST_PACKETS); index++) {
    const name = pdfium
      .written((buffer, room) => pdfium.FPDF_GetXFAPacketName(document, index, buffer, room))
      .toString('latin1')
      .replace(/\0.*$/s, '');
    // A form in one piece has no names.
    if (name !== 'datasets' && name !== '') continue;
    const xml = pdfium.written((buffer, room) => {
      const ask = (into: number, length: number): number =>
        pdfium.FPDF_GetXFAPacketContent(document, index, into, length, pdfium.at(0)) === 1
          ? pdfium.int(0)
          : 0;
      const needed = ask(0, 0);
      // The engine copies to a buffer of just this length.
      return needed <= room ? ask(buffer, needed) : needed;
    });
    return xml.toString('utf8');
  }
  return '';
}

/** The values in such XML, by the names of their fields. @throws if it is damaged, or nested too deeply */
export function formValues(xml: string): PageElement[] {
  const values: PageElement[] = [];
  const parser = new SaxesParser({ xmlns: true });
  /** The open elements, but for formats. Groups of fields and pictures have no text. */
  const open: { name: string; isOfData: boolean; text: string | undefined }[] = [];
  let depth = 0;
  const add = (text: string): void => {
    const field = open.at(-1);
    if (field?.text !== undefined) field.text += depth > open.length ? text.replaceAll(/\s+/g, ' ') : text;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('opentag', ({ local, uri, attributes }) => {
    depth += 1;
    if (depth > LIMITS.xmlDepth) throw new Error('The XML of the form is nested too deeply.');
    const parent = open.at(-1);
    if (uri === FORMATTED) {
      if (parent?.text !== undefined && LINES.has(local)) parent.text += '\n';
      return;
    }
    if (parent) parent.text = undefined;
    const isOfData = parent?.isOfData === true || (local === 'data' && parent?.name === 'datasets');
    const kind = Object.values(attributes).find((one) => one.local === 'contentType')?.value ?? 'text/';
    open.push({ name: local, isOfData, text: parent?.isOfData && kind.startsWith('text/') ? '' : undefined });
  });
  parser.on('closetag', ({ uri }) => {
    depth -= 1;
    const field = uri === FORMATTED ? undefined : open.pop();
    const lines = cleanText(field?.text?.slice(0, LONGEST) ?? '').split('\n');
    const value = lines
      .map((line) => line.trim())
      .filter(Boolean)
      .join('\n');
    if (field && value !== '')
      values.push({ type: 'key_value', key: field.name, value, box: { x: 0, y: 0, w: 1, h: 1 } });
  });
  for (let at = 0; at < xml.length && values.length < MOST_VALUES; at += PIECE)
    parser.write(xml.slice(at, at + PIECE));
  if (values.length < MOST_VALUES) parser.close();
  return values.slice(0, MOST_VALUES);
}
