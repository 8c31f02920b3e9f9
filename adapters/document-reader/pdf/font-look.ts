import type { Pdfium } from './pdfium.ts';

/** How the letters of a font look. */
export interface FontLook {
  bold: boolean;
  italic: boolean;
  /** All letters are equally wide, as in listings of programs. */
  monospaced: boolean;
}

/** Flags of a font's descriptor, see PDF 32000-1, 9.8.2. */
const FIXED_PITCH = 0x1;
const FORCE_BOLD = 0x40000;
/** Names of weights as designers abbreviate them: `BX` is Computer Modern's, `Medi` Nimbus's. */
const BOLD = /bold|black|heavy|demi|medi(?!um)|\bbd\b|(?:CM|SF)(?:SS|R|TT)?BX/i;
const ITALIC = /ital|obli|CMTI|SFTI|SFBI/i;
const MONOSPACED = /mono(?!type)|courier|typewriter|consolas|menlo|(?:CM|SF)(?:TT|SLTT|ITT)/i;

/** Letters that differ most in width where each has its own; a subset has some of them. */
const NARROW = 'ijltfr';
const WIDE = 'mwMWGO';
/** Advances of typewriters, in thousandths; letters of Chinese are wider and equal as well. */
const TYPEWRITTEN = { least: 450, most: 680 } as const;

/** Whether all letters are equally wide, whatever the font's name and flags. */
function hasEqualAdvances(pdfium: Pdfium, font: number): boolean {
  const advances = (letters: string): number[] =>
    Array.from(letters, (letter) => {
      const known = pdfium.FPDFFont_GetGlyphWidth(font, letter.codePointAt(0) ?? 0, 1000, pdfium.at(0)) !== 0;
      return known ? Math.round(pdfium.float(0)) : 0;
    }).filter((advance) => advance > 0);
  const [narrow, wide] = [advances(NARROW), advances(WIDE)];
  const [first] = narrow;
  if (first === undefined || wide.length === 0) return false;
  return (
    first >= TYPEWRITTEN.least &&
    first <= TYPEWRITTEN.most &&
    [...narrow, ...wide].every((advance) => Math.abs(advance - first) <= 1)
  );
}

/** Looks up the font of a text object; each font is examined once. */
export function createFontLooks(pdfium: Pdfium): (textObject: number) => FontLook {
  const looks = new Map<number, FontLook>();
  return (textObject) => {
    const font = pdfium.FPDFTextObj_GetFont(textObject);
    const known = looks.get(font);
    if (known) return known;
    const written = pdfium.written((buffer, length) => pdfium.FPDFFont_GetBaseFontName(font, buffer, length));
    // Of a subset, the name begins with six letters of no meaning.
    const name = written.toString('latin1').replace(/^[A-Z]{6}\+/, '');
    const flags = pdfium.FPDFFont_GetFlags(font);
    const look = {
      bold: (flags & FORCE_BOLD) !== 0 || BOLD.test(name),
      italic: ITALIC.test(name),
      monospaced: (flags & FIXED_PITCH) !== 0 || MONOSPACED.test(name) || hasEqualAdvances(pdfium, font),
    };
    looks.set(font, look);
    return look;
  };
}
