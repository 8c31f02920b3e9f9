/** Fonts of symbols, such as Wingdings, whose characters stand for others. */
import { hex } from 'dingbat-to-unicode';

/** Rare signs that fonts of symbols have for boxes. */
const CHECK_BOXES = new Map([
  ['🞎', '☐'],
  ['🗹', '☑'],
  ['🗷', '☒'],
  ['🗵', '☒'],
]);
const SYMBOL_FONT = /^(?:symbol|webdings|wingdings)/i;
const PRIVATE = /[\uF020-\uF0FF]/g;

/** A text with what a font of symbols shows for its own characters. */
export const inFont = (text: string, font = ''): string =>
  SYMBOL_FONT.test(font)
    ? text.replaceAll(PRIVATE, (sign) => symbolOf(font, sign.charCodeAt(0).toString(16)))
    : text;

/** A character of a font of symbols; its codes are often shifted into the private area. */
export function symbolOf(font: string, code: string): string {
  const known = hex(font, code.toUpperCase()) ?? hex(font, code.toUpperCase().replace(/^F0/, ''));
  if (known) return CHECK_BOXES.get(known.string) ?? known.string;
  const value = Number.parseInt(code, 16);
  return value >= 0x20 && value < 0xe000 ? String.fromCodePoint(value) : '';
}
