import type { PageRaster } from '../opened-document.ts';
import { median } from '../layout/geometry.ts';

type Grey = Pick<PageRaster, 'grey' | 'width' | 'height'>;

/** Side of the squares whose paper and ink are measured, in pixels: a line of text and its neighbour. */
const TILE = 40;
/** Neighbouring tiles in each direction that are compared for ink, so that a word is enough for its surroundings. */
const REACH = 2;
/** Shares of a tile's pixels that are darker: than ink, than paper, and than its darkest and lightest spots. */
const INK = 0.02;
const DARKEST = 0.16;
const PAPER = 0.6;
const LIGHTEST = 0.95;
/** Distance of the latter two from paper in standard deviations of noise. */
const SCATTER = 1.3;
/** Maximum noise by the darker spots, which may be ink; above white, there are no lighter ones. */
const MOST_DARK_NOISE = 10;
/** Darker paper is a picture, or a filled box. */
const DARKEST_PAPER = 140;
/** Paper that is lighter is white. */
const WHITE = 235;
/** Ink that is darker than its paper by more needs no help. */
const CLEAR = 120;
/** The least difference of ink from paper, in levels of grey and in deviations of the noise. */
const FAINT = 28;
const FAINT_BY_NOISE = 4.5;
/** Share of a page that may be pale: the edge of a word, or specks. */
const FEWEST = 0.01;
/** Noise of paper up to this many deviations becomes white. */
const CLEANED = 2.2;

/**
 * Makes pale print dark and grey paper white, each by its surroundings: recognisers divide ink from paper by one level
 * for all of a page. Pages with dark ink on white paper are returned as they are.
 */
export function evenContrast<R extends Grey>(raster: R): R {
  const { grey, width, height } = raster;
  const columns = Math.ceil(width / TILE);
  const rows = Math.ceil(height / TILE);
  const { paper, ink, noise } = measureTiles(raster, columns, rows);
  const faint = Math.max(FAINT, FAINT_BY_NOISE * noise);
  const dark = Uint8Array.from(ink, (_, tile) => darkestNear(ink, tile, columns, rows));
  const isPale = (tile: number): boolean => {
    const contrast = (paper[tile] ?? 255) - (dark[tile] ?? 0);
    return contrast >= faint && contrast < CLEAR;
  };
  const isPaper = (tile: number): boolean => (paper[tile] ?? 255) >= DARKEST_PAPER;
  const isGrey = (tile: number): boolean => (paper[tile] ?? 255) < WHITE;
  const tiles = [...paper.keys()].filter(isPaper);
  const needy = tiles.filter((tile) => isPale(tile) || isGrey(tile));
  if (needy.length <= tiles.length * FEWEST) return raster;
  const low = new Float32Array(paper.length);
  const high = new Float32Array(paper.length).fill(255);
  for (const tile of tiles) {
    if (isPale(tile)) low[tile] = dark[tile] ?? 0;
    high[tile] = Math.max((paper[tile] ?? 255) - CLEANED * noise, (low[tile] ?? 0) + FAINT / 2);
  }
  return { ...raster, grey: stretch(grey, width, height, { low, high, columns, rows }) };
}

function measureTiles({ grey, width, height }: Grey, columns: number, rows: number) {
  const paper = new Uint8Array(columns * rows);
  const ink = new Uint8Array(columns * rows);
  const lighter: number[] = [];
  const darker: number[] = [];
  const counts = new Uint32Array(256);
  const levelOf = (share: number, total: number): number => {
    let sum = 0;
    let level = 0;
    while (level < 255 && (sum += counts[level] ?? 0) <= share * total) level += 1;
    return level;
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      counts.fill(0);
      const [right, bottom] = [Math.min(width, (column + 1) * TILE), Math.min(height, (row + 1) * TILE)];
      for (let y = row * TILE; y < bottom; y++) {
        for (let x = column * TILE; x < right; x++) {
          const level = grey[y * width + x] ?? 255;
          counts[level] = (counts[level] ?? 0) + 1;
        }
      }
      const total = (right - column * TILE) * (bottom - row * TILE);
      const tile = row * columns + column;
      paper[tile] = levelOf(PAPER, total);
      ink[tile] = levelOf(INK, total);
      lighter.push((levelOf(LIGHTEST, total) - levelOf(PAPER, total)) / SCATTER);
      darker.push((levelOf(PAPER, total) - levelOf(DARKEST, total)) / SCATTER);
    }
  }
  const blank = darker.toSorted((a, b) => a - b)[Math.floor(darker.length / 10)] ?? 0;
  const noise = Math.max(median(lighter), Math.min(blank, MOST_DARK_NOISE));
  return { paper, ink, noise };
}

function darkestNear(ink: Uint8Array, tile: number, columns: number, rows: number): number {
  const [row, column] = [Math.floor(tile / columns), tile % columns];
  let darkest = 255;
  for (let y = Math.max(0, row - REACH); y <= Math.min(rows - 1, row + REACH); y++)
    for (let x = Math.max(0, column - REACH); x <= Math.min(columns - 1, column + REACH); x++)
      darkest = Math.min(darkest, ink[y * columns + x] ?? 255);
  return darkest;
}

interface Levels {
  /** The levels that become black and white, for each tile. */
  low: Float32Array;
  high: Float32Array;
  columns: number;
  rows: number;
}

/** Between the centres of tiles, levels change evenly. */
function stretch(grey: Uint8Array, width: number, height: number, levels: Levels): Uint8Array {
  const { low, high, columns, rows } = levels;
  const out = new Uint8Array(grey.length);
  const lowOfRow = new Float32Array(columns + 1);
  const highOfRow = new Float32Array(columns + 1);
  const across = Float32Array.from({ length: width }, (_, x) => placeOf(x, columns));
  for (let y = 0; y < height; y++) {
    const place = placeOf(y, rows);
    const above = Math.floor(place);
    const below = Math.min(rows - 1, above + 1);
    for (let column = 0; column <= columns; column++) {
      const at = Math.min(columns - 1, column);
      const [one, other] = [above * columns + at, below * columns + at];
      lowOfRow[column] = mix(low[one] ?? 0, low[other] ?? 0, place - above);
      highOfRow[column] = mix(high[one] ?? 0, high[other] ?? 0, place - above);
    }
    for (let x = 0; x < width; x++) {
      const at = across[x] ?? 0;
      const left = Math.floor(at);
      const black = mix(lowOfRow[left] ?? 0, lowOfRow[left + 1] ?? 0, at - left);
      const white = mix(highOfRow[left] ?? 0, highOfRow[left + 1] ?? 0, at - left);
      const level = (((grey[y * width + x] ?? 255) - black) * 255) / (white - black);
      out[y * width + x] = level < 0 ? 0 : level > 255 ? 255 : level;
    }
  }
  return out;
}

const mix = (one: number, other: number, part: number): number => one + (other - one) * part;

/** The place of a pixel between the centres of tiles. */
const placeOf = (pixel: number, count: number): number =>
  Math.min(count - 1, Math.max(0, (pixel + 0.5) / TILE - 0.5));
