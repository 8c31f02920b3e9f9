import type { Margins } from '../../../domain/compliance/compliance.ts';
import { fromRaster, toRaster, type Raster } from '../codec.ts';

/** JPEG leaves pure white within a few steps of it. */
const WHITE = 250;
/** Depth of the ring, as a share of the shorter side. */
const RING = 0.02;
/** Maximum difference of a band's pixels from its colour, and minimum difference of the image beyond it, in steps. */
const SAME = 12;
const DIFFERENT = 28;
/** Share of a line's pixels that must belong to the band, or differ beyond it: the rest is compression or chance. */
const UNIFORM = 0.98;
const STRAIGHT = 0.6;
/** A deeper area of one colour is a background. */
const DEEPEST = 0.35;
/** Minimum share of a line's pixels that belong to the subject; fewer are noise. */
const NOISE = 0.005;
/** Lines blurred by compression between a band and the image. */
const BLUR = 2;

/** Measures the edges of an image. */
export async function measureMargins(raster: Raster): Promise<Margins> {
  const shown =
    raster.channels === 4 ? await toRaster(fromRaster(raster).flatten({ background: '#fff' })) : raster;
  return { whiteRing: whiteRing(shown), subject: subjectOf(shown), bands: bandsOf(shown) };
}

function whiteRing(raster: Raster): number {
  const { width, height } = raster;
  const depth = Math.max(1, Math.round(Math.min(width, height) * RING));
  let all = 0;
  let white = 0;
  for (let y = 0; y < height; y++) {
    const whole = y < depth || y >= height - depth;
    for (let x = 0; x < width; x++) {
      if (!whole && x === depth && width - depth > depth) x = width - depth;
      all += 1;
      if (isWhite(raster, x, y)) white += 1;
    }
  }
  return white / all;
}

function subjectOf(raster: Raster): Margins['subject'] {
  const { width, height } = raster;
  const rows = new Uint32Array(height);
  const columns = new Uint32Array(width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isWhite(raster, x, y)) continue;
      rows[y] = (rows[y] ?? 0) + 1;
      columns[x] = (columns[x] ?? 0) + 1;
    }
  }
  const tall = extent(rows, width * NOISE);
  const wide = extent(columns, height * NOISE);
  return tall === 0 || wide === 0 ? null : { width: wide / width, height: tall / height };
}

/** Number of lines from the first to the last above `least`. */
function extent(counts: Uint32Array, least: number): number {
  const first = counts.findIndex((count) => count > least);
  return first < 0 ? 0 : counts.findLastIndex((count) => count > least) - first + 1;
}

function bandsOf(raster: Raster): Margins['bands'] {
  const { width, height } = raster;
  const side = (
    lines: number,
    length: number,
    at: (line: number, along: number) => readonly [number, number],
  ) => bandDepth(raster, lines, length, at) / lines;
  return {
    top: side(height, width, (line, along) => [along, line]),
    right: side(width, height, (line, along) => [width - 1 - line, along]),
    bottom: side(height, width, (line, along) => [along, height - 1 - line]),
    left: side(width, height, (line, along) => [line, along]),
  };
}

/** @param at returns the pixel of a line, counted from the side, at a position along it */
function bandDepth(
  raster: Raster,
  lines: number,
  length: number,
  at: (line: number, along: number) => readonly [number, number],
): number {
  const colour = [0, 1, 2].map((channel) => {
    let sum = 0;
    for (let along = 0; along < length; along++) sum += value(raster, at(0, along), channel);
    return sum / length;
  });
  const [red = 0, green = 0, blue = 0] = colour;
  const share = (line: number, holds: (distance: number) => boolean): number => {
    let count = 0;
    for (let along = 0; along < length; along++) {
      const pixel = at(line, along);
      const distance = Math.max(
        Math.abs(value(raster, pixel, 0) - red),
        Math.abs(value(raster, pixel, 1) - green),
        Math.abs(value(raster, pixel, 2) - blue),
      );
      if (holds(distance)) count += 1;
    }
    return count / length;
  };

  const deepest = Math.floor(lines * DEEPEST);
  let depth = 0;
  while (depth <= deepest && share(depth, (distance) => distance <= SAME) >= UNIFORM) depth += 1;
  if (depth === 0 || depth > deepest) return 0;
  return share(depth + BLUR, (distance) => distance > DIFFERENT) >= STRAIGHT ? depth : 0;
}

function isWhite({ data, width, channels }: Raster, x: number, y: number): boolean {
  const at = (y * width + x) * channels;
  return (data[at] ?? 0) >= WHITE && (data[at + 1] ?? 0) >= WHITE && (data[at + 2] ?? 0) >= WHITE;
}

function value(
  { data, width, channels }: Raster,
  [x, y]: readonly [number, number],
  channel: number,
): number {
  return data[(y * width + x) * channels + channel] ?? 0;
}
