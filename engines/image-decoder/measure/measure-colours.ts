import type { ImageFacts } from '../../../domain/image-analysis.ts';
import { type Oklab, type Rgb, toOklab } from '../../oklab.ts';
import type { Raster } from '../codec.ts';

const MOST_COLOURS = 5;
/** Below one pixel in a hundred a colour is an accent, not dominant. */
const SMALLEST_SHARE = 0.01;
/** A lower alpha counts as transparent. */
const VISIBLE = 128;

interface Bin {
  count: number;
  sum: [number, number, number];
}

/** Groups the visible pixels by the name of their colour; the hex is the mean of the group. */
export function measureColours(raster: Raster): ImageFacts['colours'] {
  const pixels = raster.width * raster.height;
  const named = new Map<string, Bin>();
  for (const cell of fillCells(raster)) {
    const name = colourName(mean(cell));
    const group = named.get(name) ?? { count: 0, sum: [0, 0, 0] };
    group.count += cell.count;
    for (const channel of [0, 1, 2] as const) group.sum[channel] += cell.sum[channel];
    named.set(name, group);
  }
  return [...named]
    .map(([name, group]) => ({ name, hex: toHex(mean(group)), share: group.count / pixels }))
    .filter(({ share }) => share >= SMALLEST_SHARE)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, MOST_COLOURS)
    .map((colour) => ({ ...colour, share: Math.round(colour.share * 1000) / 1000 }));
}

/** Sixteen steps per channel: few enough cells to name each, fine enough that a cell has one name. */
const CELLS = 16 ** 3;

function fillCells({ data, channels }: Raster): Bin[] {
  // Count, red, green and blue of each cell: a map of bins takes three times as long.
  const cells = new Float64Array(CELLS * 4);
  // In the order of their first pixels, which decides between colours of equal shares.
  const seen: number[] = [];
  for (let at = 0; at < data.length; at += channels) {
    if (channels === 4 && (data[at + 3] ?? 0) < VISIBLE) continue;
    const red = data[at] ?? 0;
    const green = data[at + 1] ?? 0;
    const blue = data[at + 2] ?? 0;
    const cell = (((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4)) * 4;
    if (cells[cell] === 0) seen.push(cell);
    cells[cell] = (cells[cell] ?? 0) + 1;
    cells[cell + 1] = (cells[cell + 1] ?? 0) + red;
    cells[cell + 2] = (cells[cell + 2] ?? 0) + green;
    cells[cell + 3] = (cells[cell + 3] ?? 0) + blue;
  }
  return seen.map((cell) => ({
    count: cells[cell] ?? 0,
    sum: [cells[cell + 1] ?? 0, cells[cell + 2] ?? 0, cells[cell + 3] ?? 0],
  }));
}

function mean({ count, sum }: Bin): Rgb {
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}

function toHex(colour: Rgb): string {
  return `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

export type { Rgb } from '../../oklab.ts';

type Named = readonly [name: string, colour: Rgb];

/** Typical colours of each common name; a colour gets the name of the nearest one. */
const GREYS: readonly Named[] = [
  ['black', [10, 10, 10]],
  ['dark grey', [70, 70, 70]],
  ['grey', [130, 130, 130]],
  ['light grey', [200, 200, 200]],
  ['white', [250, 250, 250]],
];
const HUES: readonly Named[] = [
  ['red', [220, 30, 35]],
  ['dark red', [115, 20, 25]],
  ['pink', [245, 165, 190]],
  ['magenta', [205, 50, 175]],
  ['purple', [120, 50, 165]],
  ['lavender', [190, 170, 230]],
  ['navy', [22, 36, 92]],
  ['navy', [52, 66, 92]],
  ['blue', [35, 95, 220]],
  ['blue', [75, 105, 150]],
  ['light blue', [160, 200, 240]],
  ['turquoise', [60, 205, 205]],
  ['teal', [18, 120, 125]],
  ['dark green', [28, 72, 38]],
  ['green', [45, 155, 60]],
  ['light green', [160, 220, 140]],
  ['olive', [118, 118, 42]],
  ['yellow', [245, 215, 40]],
  ['orange', [240, 130, 30]],
  ['tan', [200, 155, 110]],
  ['beige', [228, 212, 180]],
  ['brown', [112, 68, 36]],
  ['brown', [150, 110, 80]],
];
/** Oklab chroma under which an eye sees grey. */
const GREYISH = 0.03;
/** Oklab lightness under which any hue looks black. */
const NEARLY_BLACK = 0.22;

const GREY_ANCHORS = GREYS.map(([name, colour]) => ({ name, lab: toOklab(colour) }));
const HUE_ANCHORS = HUES.map(([name, colour]) => ({ name, lab: toOklab(colour) }));

/** The plain English name of an sRGB colour (0–255): nearest by Oklab distance, which is perceptually uniform. */
export function colourName(colour: Rgb): string {
  const lab = toOklab(colour);
  const grey = lab[0] < NEARLY_BLACK || lab[1] ** 2 + lab[2] ** 2 < GREYISH ** 2;
  let nearest = { name: '', distance: Infinity };
  for (const anchor of grey ? GREY_ANCHORS : HUE_ANCHORS) {
    const distance = distanceBetween(lab, anchor.lab);
    if (distance < nearest.distance) nearest = { name: anchor.name, distance };
  }
  return nearest.name;
}

/** Squared: the nearest stays the nearest, and `Math.hypot` takes most of the time. */
function distanceBetween(one: Oklab, other: Oklab): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;
}
