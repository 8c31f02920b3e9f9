import { WEIGHTS, type FontCut } from '../layout/page-parts.ts';
import type { Pdfium } from './pdfium.ts';

/** How the letters of a font look. */
export interface FontLook {
  bold: boolean;
  /** Of a font that is bold only beside lighter text, or lighter than others: how heavy it is, in its family. */
  cut?: FontCut;
  /** Slanted, or of small capitals. */
  italic: boolean;
  /** All letters are equally wide, as in listings of programs. */
  monospaced: boolean;
}

/** Flags of a font's descriptor, see PDF 32000-1, 9.8.2. */
const FIXED_PITCH = 0x1;
const ITALIC_FLAG = 0x40;
const FORCE_BOLD = 0x40000;
/** Names of weights as designers abbreviate them: `Medi` is Nimbus's bold, the others TeX's. */
const BOLD =
  /bold|black|heavy|demi|medi(?!um)|\bbd\b|-(?:hv|dm|blk)\b|^(?:CM|SF|EC)(?:B|BX|SSB|SSBX|SSDC|BXTI|BXSL|SX|RB|XC|BI|MIB|BSY)(?=\d|$)/i;
const MEDIUM = /medium|-md\b/i;
const LIGHT = /light|thin|hairline|-lt\b/i;
const USUAL = /regu|roman|book|light|thin|^(?:CM|SF|EC|LM)/i;
/** The descriptor's weight, which the engine derives from the width of stems: regular fonts have up to 510. */
const BOLD_WEIGHT = 600;
const ITALIC = /ital|obli|slant|CMTI|SFTI|SFBI|CMSL|SFSL/i;
const SMALL_CAPITALS = /CMCSC|^(?:SF|EC)CC|small-?cap|smcp|RomanCaps|SC\d*(?:-|$)/;
const MONOSPACED = /mono(?!type)|courier|typewriter|consolas|menlo|(?:CM|SF)(?:TT|SLTT|ITT)/i;
const [NARROW, WIDE] = ['il.', 'mwM'];
/** In no font, so that its width is that of missing letters. */
const MISSING = '\uE000';

/** Looks up the font of a text object; each font is examined once. */
export function createFontLooks(pdfium: Pdfium): (textObject: number) => FontLook {
  const looks = new Map<number, FontLook>();
  return (textObject) => {
    const font = pdfium.FPDFTextObj_GetFont(textObject);
    const known = looks.get(font);
    if (known) return known;
    const look = lookOf(pdfium, font);
    looks.set(font, look);
    return look;
  };
}

function lookOf(pdfium: Pdfium, font: number): FontLook {
  const written = pdfium.written((buffer, length) => pdfium.FPDFFont_GetBaseFontName(font, buffer, length));
  // Of a subset, the name begins with six letters of no meaning.
  const name = written
    .toString('latin1')
    .replace(/\0$/, '')
    .replace(/^[A-Z]{6}\+/, '');
  const flags = pdfium.FPDFFont_GetFlags(font);
  const isHeavy =
    !USUAL.test(name) &&
    pdfium.FPDFFont_GetIsEmbedded(font) === 1 &&
    pdfium.FPDFFont_GetWeight(font) >= BOLD_WEIGHT;
  const bold = (flags & FORCE_BOLD) !== 0 || BOLD.test(name);
  const cut = bold || isHeavy ? undefined : cutOf(name);
  return {
    bold: bold || isHeavy,
    ...(cut && { cut }),
    italic: (flags & ITALIC_FLAG) !== 0 || ITALIC.test(name) || SMALL_CAPITALS.test(name),
    monospaced: (flags & FIXED_PITCH) !== 0 || MONOSPACED.test(name) || isEquallyWide(pdfium, font),
  };
}

function cutOf(name: string): FontCut {
  const [kind, words] = MEDIUM.test(name)
    ? (['medium', MEDIUM] as const)
    : LIGHT.test(name)
      ? (['light', LIGHT] as const)
      : (['usual', USUAL] as const);
  const [family = ''] = name.replace(words, '').toLowerCase().split(/[-,]/);
  return { family, weight: WEIGHTS[kind] };
}

/** Whether narrow and wide letters, of those that the font has, are equally wide. */
function isEquallyWide(pdfium: Pdfium, font: number): boolean {
  const widthOf = (letter: string): number => {
    pdfium.FPDFFont_GetGlyphWidth(font, letter.codePointAt(0) ?? 0, 1000, pdfium.at(0));
    return Math.round(pdfium.float(0));
  };
  const missing = widthOf(MISSING);
  const widths = (letters: string): number[] =>
    [...letters].map(widthOf).filter((width) => width > 0 && width !== missing);
  const [narrow, wide] = [widths(NARROW), widths(WIDE)];
  return (
    narrow.length > 0 &&
    wide.length > 0 &&
    [...narrow, ...wide].every((width) => Math.abs(width - (wide[0] ?? 0)) <= 1)
  );
}
