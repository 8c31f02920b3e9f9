/** Links of a page that lead to an address, and the marks that they leave in the text of its elements. */
import { InlineMarks } from '../inline/inline-marks.ts';
import type { PageBox, PageElement } from '../document/page.ts';
import { boxAround, relativeBox } from '../layout/geometry.ts';
import type { PdfPage } from './open-pdf.ts';

export interface PageLink {
  target: string;
  /** What is written where it is. */
  text: string;
  box: PageBox;
}

const MOST_LINKS = 500;
/** Links that are looked at: most lead within their document. */
const MOST_TRIED = 5_000;
/** Of actions, as the engine numbers them. */
const URI = 3;
/** Characters of what is written at one link. */
const LONGEST = 1_000;
/** Characters of elements that are searched on a page. */
const MOST_SEARCHED = 2_000_000;
const NO_LETTERS = /[^\p{L}\p{N}]/gu;

/** @param textPage the engine's text of the page, open */
export function readLinks(page: PdfPage, textPage: number): PageLink[] {
  const { pdfium, handle, document, matrix } = page;
  const [a, b, c, d, e, f] = matrix;
  const found: PageLink[] = [];
  const [position, link] = [pdfium.at(0), pdfium.at(1)];
  const next = pdfium.bytes(position, 4);
  next.fill(0);
  for (let tried = 0; tried < MOST_TRIED && found.length < MOST_LINKS; tried++) {
    if (pdfium.FPDFLink_Enumerate(handle, position, link) !== 1) break;
    const [at, own] = [pdfium.int(0), pdfium.int(1)];
    const action = pdfium.FPDFLink_GetAction(own);
    if (action !== 0 && pdfium.FPDFAction_GetType(action) === URI) {
      const target = pdfium
        .written((buffer, length) => pdfium.FPDFAction_GetURIPath(document, action, buffer, length))
        .toString('utf8')
        .replace(/\0$/, '');
      if (pdfium.FPDFLink_GetAnnotRect(own, pdfium.at(2)) === 1) {
        const [left, top, right, bottom] = [
          pdfium.float(2),
          pdfium.float(3),
          pdfium.float(4),
          pdfium.float(5),
        ];
        const text = textWithin(left, top, right, bottom);
        const corner = (x: number, y: number) => {
          const [right, down] = [a * x + c * y + e, b * x + d * y + f];
          return { x0: right, x1: right, y0: down, y1: down };
        };
        const box = relativeBox(boxAround([corner(left, top), corner(right, bottom)]), page);
        if (text !== '') found.push({ target, text, box });
      }
    }
    // The results of other calls are written to the same place.
    new DataView(pdfium.bytes(position, 4).buffer, position, 4).setInt32(0, at, true);
  }
  return found;

  function textWithin(left: number, top: number, right: number, bottom: number): string {
    // In characters, unlike other functions.
    const written = pdfium.written(
      (buffer, length) =>
        2 *
        pdfium.FPDFText_GetBoundedText(
          textPage,
          left,
          top,
          right,
          bottom,
          buffer,
          Math.min(LONGEST, length / 2),
        ),
    );
    return written.toString('utf16le').replaceAll(NO_LETTERS, '');
  }
}

/** Marks the words of each link in the element at its place. */
export function markLinks(
  elements: readonly PageElement[],
  links: readonly PageLink[],
): readonly PageElement[] {
  if (links.length === 0) return elements;
  const marks = new InlineMarks();
  const marked = new Map<PageElement, PageElement>();
  let left = MOST_SEARCHED;
  for (const { target, text, box } of links) {
    const { begin, end } = marks.link(target);
    const element = begin === '' ? undefined : elementAt(elements, box);
    if (!element || element.type === 'code') continue;
    let isFound = false;
    const mark = (content: string): string => {
      left -= isFound ? 0 : content.length;
      const place = isFound || left < 0 ? undefined : placeOf(text, content);
      if (!place) return content;
      isFound = true;
      const [from, to] = place;
      return content.slice(0, from) + begin + content.slice(from, to) + end + content.slice(to);
    };
    marked.set(element, withTexts(marked.get(element) ?? element, mark));
  }
  return elements.map((element) => {
    const own = marked.get(element);
    return own ? ({ ...own, ...marks.separate(own) } as PageElement) : element;
  });
}

function withTexts(element: PageElement, change: (text: string) => string): PageElement {
  switch (element.type) {
    case 'table':
      return { ...element, rows: element.rows.map((row) => row.map(change)) };
    case 'list':
      return { ...element, items: element.items.map((item) => ({ ...item, text: change(item.text) })) };
    case 'key_value':
      return { ...element, value: change(element.value) };
    default:
      return { ...element, content: change(element.content) };
  }
}

/** The smallest element around the middle of a box. */
function elementAt(elements: readonly PageElement[], { x, y, w, h }: PageBox): PageElement | undefined {
  const [across, down] = [x + w / 2, y + h / 2];
  return elements
    .filter(({ box }) => across >= box.x && across <= box.x + box.w && down >= box.y && down <= box.y + box.h)
    .toSorted((one, other) => one.box.w * one.box.h - other.box.w * other.box.h)[0];
}

/** Where letters stand in a text that is not yet marked there, whatever spaces and hyphens are between them. */
function placeOf(letters: string, text: string): [from: number, to: number] | undefined {
  const at: number[] = [];
  let depth = 0;
  let plain = '';
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? '';
    if (sign === '\uFDD1') depth += 1;
    else if (sign === '\uFDD2') depth -= 1;
    else if (/[\p{L}\p{N}\p{Cs}]/u.test(sign)) {
      plain += depth > 0 ? '\0' : sign;
      at.push(index);
    }
  }
  const found = plain.indexOf(letters);
  const [from, to] = [at[found], at[found + letters.length - 1]];
  return found < 0 || from === undefined || to === undefined ? undefined : [from, to + 1];
}
