import type { PageRaster, RecognisedWord } from '../document-reader.ts';

/** Mean length of the dark runs across a word, in pixels: bold letters are drawn with wider strokes. */
export function strokeWidth({ grey, width, height }: PageRaster, word: RecognisedWord): number {
  const [x0, x1] = [Math.max(0, Math.floor(word.x0)), Math.min(width, Math.ceil(word.x1))];
  const [y0, y1] = [Math.max(0, Math.floor(word.y0)), Math.min(height, Math.ceil(word.y1))];
  const threshold = middleOf(grey, width, x0, x1, y0, y1);
  let dark = 0;
  let runs = 0;
  for (let y = y0; y < y1; y++) {
    let inside = false;
    for (let x = x0; x < x1; x++) {
      const isDark = (grey[y * width + x] ?? 255) < threshold;
      if (isDark) dark += 1;
      if (isDark && !inside) runs += 1;
      inside = isDark;
    }
  }
  return runs === 0 ? 0 : dark / runs;
}

/** Between the darkest and the lightest. */
function middleOf(grey: Uint8Array, width: number, x0: number, x1: number, y0: number, y1: number): number {
  let [least, most] = [255, 0];
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const value = grey[y * width + x] ?? 255;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  return (least + most) / 2;
}
