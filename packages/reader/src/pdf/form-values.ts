import type { PageElement } from '../document/page.ts';
import { cleanText } from '../layout/plain-text.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { child, descendants, parseXml, type XmlNode } from '../xml.ts';
import type { Pdfium } from './pdfium.ts';

/** PDFium's number of forms that programs lay out themselves. */
const DYNAMIC_FORM = 2;
const MOST_PACKETS = 50;
const MOST_VALUES = 5_000;
const LONGEST = 10_000;

/** Whether the document is a form that only programs of Adobe show (XFA); its pages say no more than that. */
export const isDynamicForm = (pdfium: Pdfium, document: number): boolean =>
  pdfium.FPDF_GetFormType(document) === DYNAMIC_FORM;

/** What was filled in such a form, by the names of its fields: it is on no page. Empty if it cannot be read. */
export function readFormValues(pdfium: Pdfium, document: number): PageElement[] {
  if (!isDynamicForm(pdfium, document)) return [];
  const count = Math.min(pdfium.FPDF_GetXFAPacketCount(document), MOST_PACKETS);
  for (let index = 0; index < count; index++) {
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
    const values = valuesIn(xml.toString('utf8'));
    if (values.length > 0) return values;
  }
  return [];
}

function valuesIn(xml: string): PageElement[] {
  try {
    const root = parseXml(xml);
    const [data] = (root.name === 'datasets' ? root : child(root, 'datasets'))?.children ?? [];
    return data ? [...filledIn(data)].slice(0, MOST_VALUES) : [];
  } catch (error) {
    if (error instanceof UnreadableDocument) return [];
    throw error;
  }
}

function* filledIn(node: XmlNode): Generator<PageElement> {
  for (const field of node.children) {
    const formatted = child(field, 'body');
    if (field.children.length > 0 && !formatted) {
      yield* filledIn(field);
      continue;
    }
    const parts = formatted ? [...descendants(formatted, 'p')].map(textWithin) : [field.text];
    const value = cleanText(parts.join('\n')).trim().slice(0, LONGEST);
    if (value !== '') yield { type: 'key_value', key: field.name, value, box: { x: 0, y: 0, w: 1, h: 1 } };
  }
}

const textWithin = (node: XmlNode): string => node.text + node.children.map(textWithin).join(' ');
