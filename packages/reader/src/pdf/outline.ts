import type { OutlineTitle } from '../layout/page-parts.ts';
import type { Pdfium } from './pdfium.ts';

/** Of a document's outline, at most so many entries are read, and so many of them for one page. */
const MOST_ENTRIES = 5_000;
const MOST_OF_PAGE = 100;
const DEEPEST = 12;
const LONGEST = 300;

/**
 * The titles of a document's outline by the index of the page to which they lead. Entries that lead elsewhere, or in
 * circles, are left out.
 */
export function readOutline(pdfium: Pdfium, document: number): Map<number, OutlineTitle[]> {
  const titles = new Map<number, OutlineTitle[]>();
  const seen = new Set<number>();
  const first = (parent: number): number => pdfium.FPDFBookmark_GetFirstChild(document, parent);
  const waiting = [{ entry: first(0), level: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, level } = next;
    if (entry === 0 || seen.has(entry) || seen.size >= MOST_ENTRIES) continue;
    seen.add(entry);
    const ofPage = (page: number): OutlineTitle[] => titles.get(page) ?? [];
    const page = pageOf(pdfium, document, entry);
    const text = titleOf(pdfium, entry);
    if (page >= 0 && text !== '' && ofPage(page).length < MOST_OF_PAGE)
      titles.set(page, [...ofPage(page), { text, level }]);
    waiting.push({ entry: pdfium.FPDFBookmark_GetNextSibling(document, entry), level });
    if (level < DEEPEST) waiting.push({ entry: first(entry), level: level + 1 });
  }
  return titles;
}

/** -1 for none. */
function pageOf(pdfium: Pdfium, document: number, entry: number): number {
  const direct = pdfium.FPDFBookmark_GetDest(document, entry);
  const action = direct === 0 ? pdfium.FPDFBookmark_GetAction(entry) : 0;
  const target = action === 0 ? direct : pdfium.FPDFAction_GetDest(document, action);
  return target === 0 ? -1 : pdfium.FPDFDest_GetDestPageIndex(document, target);
}

function titleOf(pdfium: Pdfium, entry: number): string {
  const written = pdfium.written((buffer, length) => pdfium.FPDFBookmark_GetTitle(entry, buffer, length));
  return written.toString('utf16le').replace(/\0$/, '').trim().slice(0, LONGEST);
}
