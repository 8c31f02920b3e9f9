import type { ImageFacts } from '../../../domain/image-facts.ts';
import { colourName, type Rgb } from './colour-name.ts';
import type { Raster } from '../raster.ts';

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
function fillCells({ data, channels }: Raster): Bin[] {
  const cells = new Map<number, Bin>();
  for (let at = 0; at < data.length; at += channels) {
    if (channels === 4 && (data[at + 3] ?? 0) < VISIBLE) continue;
    const red = data[at] ?? 0;
    const green = data[at + 1] ?? 0;
    const blue = data[at + 2] ?? 0;
    const key = ((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4);
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { count: 0, sum: [0, 0, 0] }));
    cell.count += 1;
    cell.sum[0] += red;
    cell.sum[1] += green;
    cell.sum[2] += blue;
  }
  return [...cells.values()];
}

function mean({ count, sum }: Bin): Rgb {
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}

function toHex(colour: Rgb): string {
  return `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}
