/**
 * The engine reverses text of right-to-left scripts letter by letter, and so swaps the letters of a glyph that stands
 * for several: لا becomes ال, which is the article. Only the glyphs on the page distinguish the two.
 */
import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfPage } from './open-pdf.ts';

const ARABIC = /\p{Script=Arabic}/u;
const LAM_ALEF = /^(?:ل[اأإآٱ]|[اأإآٱ]ل)$/u;

export const hasArabic = (texts: readonly { str: string }[]): boolean =>
  texts.some(({ str }) => ARABIC.test(str));

/** The text of each glyph of a page, in drawing order. */
export async function readGlyphs(page: PdfPage): Promise<string[]> {
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 });
  return fnArray.flatMap((operator, index) => {
    if (operator !== OPS.showText) return [];
    const [shown] = argsArray[index] as [({ unicode?: string } | number | null)[]];
    return shown.flatMap((glyph) =>
      glyph !== null && typeof glyph === 'object' && glyph.unicode !== undefined ? [glyph.unicode] : [],
    );
  });
}

/** The engine omits glyphs beyond the page's edges: at most so many are skipped to find those of a text. */
const MOST_PASSED = 400;

/** Restores the order of ligatures' letters, in place. Texts and glyphs are in page order. */
export function mendLigatures(texts: readonly { str: string }[], glyphs: readonly string[]): void {
  const shown = glyphs.map(letters).filter((glyph) => glyph !== '');
  let next = 0;
  for (const text of texts) {
    const places = [...text.str.matchAll(/\S/g)].map(({ index }) => index);
    const wanted = sorted(places.map((place) => text.str[place] ?? ''));
    for (let first = next; first <= Math.min(shown.length, next + MOST_PASSED); first++) {
      const own = glyphsFrom(shown, first, places.length);
      if (own === undefined || sorted(own.join('').split('')) !== wanted) continue;
      if (ARABIC.test(text.str)) text.str = mend(text.str, places, own);
      next = first + own.length;
      break;
    }
  }
}

/** Consecutive glyphs with so many letters together. */
function glyphsFrom(shown: readonly string[], first: number, count: number): string[] | undefined {
  let last = first;
  let letters = 0;
  while (letters < count && last < shown.length) letters += shown[last++]?.length ?? 0;
  return letters === count ? shown.slice(first, last) : undefined;
}

const sorted = (units: string[]): string => units.toSorted().join('');

/** Glyphs are drawn from left to right, so the text before a letter is drawn after it. */
function mend(text: string, places: readonly number[], glyphs: readonly string[]): string {
  const units = text.split('');
  let before = places.length;
  for (const glyph of glyphs) {
    before -= glyph.length;
    if (glyph.length < 2 || !ARABIC.test(glyph)) continue;
    const at = places.slice(before, before + glyph.length);
    const read = at.map((place) => text[place]).join('');
    if (read !== reversed(glyph)) continue;
    const meant = LAM_ALEF.test(glyph) && !glyph.startsWith('ل') ? reversed(glyph) : glyph;
    for (const [index, place] of at.entries()) units[place] = meant[index] ?? '';
  }
  return units.join('');
}

const reversed = (text: string): string => text.split('').toReversed().join('');

/** A glyph's letters as the engine writes them: without white space, presentation forms as letters. */
const letters = (glyph: string): string =>
  glyph.replaceAll(/\s/gu, '').replaceAll(/[\uFB50-\uFDFF\uFE70-\uFEFC]/gu, (form) => form.normalize('NFKC'));
