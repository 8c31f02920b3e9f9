import type { PageRaster, RecognisedWord } from '../opened-document.ts';
import { median } from '../layout/geometry.ts';

/** Steeper lines are not skew of a scan. */
const MOST = 0.12;

/**
 * The slope of a page's lines, from neighbouring words. Bottoms of words differ by their descenders, so only pairs with
 * similar letters are compared.
 */
export function estimateSlope(words: readonly RecognisedWord[]): number {
  const slopes: number[] = [];
  for (const [index, word] of words.entries()) {
    const kind = hasDescender(word.text);
    const height = word.y1 - word.y0;
    for (const other of words.slice(index + 1, index + 16)) {
      // The next word follows in reading direction.
      const [left, right] = isRightToLeft(word.text) ? [other, word] : [word, other];
      if (right.x0 - left.x1 < height * 3) continue;
      if (hasDescender(other.text) !== kind || Math.abs(other.y1 - other.y0 - height) > height * 0.5)
        continue;
      const dy = right.y1 - left.y1;
      const slope = dy / (right.x1 - left.x1);
      if (Math.abs(slope) < MOST && Math.abs(dy) < height * 3) slopes.push(slope);
    }
  }
  return slopes.length < 12 ? 0 : median(slopes);
}

/** Letters, dots and marks below the line; most Arabic letters have some. */
export const hasDescender = (text: string): boolean => /[gjpqyçQ,;()[\]{}|بپجحخرزسشصضعغقمنويىئؤ]/u.test(text);

export const isRightToLeft = (text: string): boolean => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);

/** Steeper pages are not skewed scans. */
const STEEPEST = 0.07;
const COARSE_STEP = 0.005;
const FINE_STEP = 0.0005;
/** Recognisers tolerate less. */
const STRAIGHT = 0.003;
/** Distance of sampled pixels, finer than letters. */
const STRIDE = 3;

/** Levels a page's lines of text: recognisers lose lines of skewed pages. */
export function straighten(raster: PageRaster): PageRaster {
  const slope = slopeOf(raster);
  return Math.abs(slope) < STRAIGHT ? raster : shear(raster, slope);
}

/** The slope at which dark pixels concentrate in the fewest rows. */
export function slopeOf({ grey, width, height }: Pick<PageRaster, 'grey' | 'width' | 'height'>): number {
  const xs: number[] = [];
  const ys: number[] = [];
  for (let y = 0; y < height; y += STRIDE) {
    for (let x = 0; x < width; x += STRIDE) {
      if ((grey[y * width + x] ?? 255) >= 110) continue;
      xs.push(x);
      ys.push(y);
    }
  }
  if (xs.length < 200) return 0;
  const reach = Math.ceil((STEEPEST * width) / STRIDE);
  const rows = new Uint32Array(Math.ceil(height / STRIDE) + 2 * reach + 2);
  const sharpness = (slope: number): number => {
    rows.fill(0);
    for (let at = 0; at < xs.length; at++) {
      const row = Math.round(((ys[at] ?? 0) - slope * (xs[at] ?? 0)) / STRIDE) + reach;
      rows[row] = (rows[row] ?? 0) + 1;
    }
    return rows.reduce((sum, count) => sum + count * count, 0);
  };
  const best = (from: number, to: number, step: number): number => {
    let found = { slope: 0, sharpness: sharpness(0) * 1.02 };
    for (let slope = from; slope <= to; slope += step) {
      const here = sharpness(slope);
      if (here > found.sharpness) found = { slope, sharpness: here };
    }
    return found.slope;
  };
  const coarse = best(-STEEPEST, STEEPEST, COARSE_STEP);
  return coarse === 0
    ? best(-COARSE_STEP, COARSE_STEP, FINE_STEP)
    : best(coarse - COARSE_STEP, coarse + COARSE_STEP, FINE_STEP);
}

/** Rotates by a small angle around the middle, as two shears. */
function shear(raster: PageRaster, slope: number): PageRaster {
  const { grey, width, height } = raster;
  const turned = new Uint8Array(grey.length).fill(255);
  const [middleX, middleY] = [width / 2, height / 2];
  for (let y = 0; y < height; y++) {
    const across = -slope * (y - middleY);
    for (let x = 0; x < width; x++) {
      const fromX = Math.round(x + across);
      const fromY = y + slope * (x - middleX);
      const above = Math.floor(fromY);
      if (fromX < 0 || fromX >= width || above < 0 || above + 1 >= height) continue;
      const at = above * width + fromX;
      const part = fromY - above;
      turned[y * width + x] = (grey[at] ?? 255) * (1 - part) + (grey[at + width] ?? 255) * part;
    }
  }
  return { ...raster, grey: turned };
}
