import type { TextRegion } from '../../domain/image-analysis.ts';

/** Corners in pixels. */
export interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** A word as reported by the engine; `confidence` is 0–100. */
export interface RecognisedWord {
  text: string;
  confidence: number;
  bbox: PixelBox;
  /** The number of its block of text, such as a column: lines do not reach into others. */
  block?: number;
}

/** Printed words, even small ones, score 80 and more; false positives in textures rarely reach this. */
const SURE_WORD = 60;
/** A line without two letters or digits together is a frame, a bullet or a speck. */
const LEGIBLE = /[\p{L}\p{N}]{2}/u;

/** The credible lines, without their doubtful words, with boxes relative to the image's width and height. */
export function textRegions(
  lines: readonly (readonly RecognisedWord[])[],
  image: { width: number; height: number },
): TextRegion[] {
  return lines.flatMap((words) => {
    const sure = words.filter(({ confidence }) => confidence >= SURE_WORD);
    const text = sure
      .map((word) => word.text)
      .join(' ')
      .normalize('NFC')
      .replaceAll(/\p{Cc}/gu, '')
      .trim();
    return LEGIBLE.test(text) ? [{ text, box: boxAround(sure, image) }] : [];
  });
}

function boxAround(
  words: readonly RecognisedWord[],
  { width, height }: { width: number; height: number },
): TextRegion['box'] {
  const edges = (edge: keyof PixelBox) => words.map(({ bbox }) => bbox[edge]);
  return {
    xMin: part(Math.min(...edges('x0')), width),
    yMin: part(Math.min(...edges('y0')), height),
    xMax: part(Math.max(...edges('x1')), width),
    yMax: part(Math.max(...edges('y1')), height),
  };
}

/** Four digits distinguish the pixels of a 10,000-pixel side. */
function part(pixels: number, side: number): number {
  return Math.round(Math.min(1, Math.max(0, pixels / side)) * 10_000) / 10_000;
}
