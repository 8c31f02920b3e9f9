import { hasDescender } from './skew.ts';

/** Parts of a font's size, in most Latin fonts. */
const CAPITAL = 0.71;
const X_HEIGHT = 0.52;
const DESCENDER = 0.21;
/** The same of Arabic letters: of those like alif, and of the others. */
const ALIF = 0.78;
const TOOTH = 0.52;

/** The size of the font of a word, from the height of its box and the letters in it. */
export function fontSize(text: string, height: number): number {
  const below = hasDescender(text) ? DESCENDER : 0;
  if (/\p{Script=Arabic}/u.test(text)) return height / ((/[اأإآلكطظ]/u.test(text) ? ALIF : TOOTH) + below);
  const tall = /[\p{Lu}\p{Nd}bdfhklß%&?!/()[\]{}|$€£]/u.test(text);
  const rising = /[tiéèáàäöüíóúñâêô]/u.test(text);
  const above = tall ? CAPITAL : rising ? 0.66 : X_HEIGHT;
  return height / (above + below);
}

/** Where the letters of a word stand: descenders reach below. */
export function baselineOf(text: string, bottom: number, size: number): number {
  return hasDescender(text) ? bottom - DESCENDER * size : bottom;
}
