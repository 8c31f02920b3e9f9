import type { PageBox } from '../document/page.ts';

/** A rectangle on an upright page: x to the right, y downwards, in the page's own units (points or pixels). */
export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export function boxAround(boxes: readonly Box[]): Box {
  const around = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x0, y0, x1, y1 } of boxes) {
    around.x0 = Math.min(around.x0, x0);
    around.y0 = Math.min(around.y0, y0);
    around.x1 = Math.max(around.x1, x1);
    around.y1 = Math.max(around.y1, y1);
  }
  return around;
}

export const widthOf = ({ x0, x1 }: Box): number => x1 - x0;
export const heightOf = ({ y0, y1 }: Box): number => y1 - y0;
export const areaOf = (box: Box): number => Math.max(0, widthOf(box)) * Math.max(0, heightOf(box));

/** Length that two boxes share along an axis; negative for a gap. */
export const overlapX = (one: Box, other: Box): number =>
  Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
export const overlapY = (one: Box, other: Box): number =>
  Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0);

export function overlapArea(one: Box, other: Box): number {
  return Math.max(0, overlapX(one, other)) * Math.max(0, overlapY(one, other));
}

export function contains(outer: Box, x: number, y: number, margin = 0): boolean {
  return x >= outer.x0 - margin && x <= outer.x1 + margin && y >= outer.y0 - margin && y <= outer.y1 + margin;
}

/** The greatest of any number of values: as arguments of a function, a hundred thousand overflow the stack. */
export const greatest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity);
export const least = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.min(most, value), Infinity);

/** The middle value; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A box relative to its page, cut to it, in ten-thousandths. */
export function relativeBox(box: Box, { width, height }: { width: number; height: number }): PageBox {
  const part = (value: number, side: number): number =>
    Math.round(Math.min(1, Math.max(0, value / side)) * 10_000) / 10_000;
  const [x, y] = [part(box.x0, width), part(box.y0, height)];
  const [right, bottom] = [part(box.x1, width), part(box.y1, height)];
  const span = (from: number, to: number): number => Math.round((to - from) * 10_000) / 10_000;
  return { x, y, w: span(x, right), h: span(y, bottom) };
}

/** Quarter turns clockwise of a page's text. */
export type QuarterTurns = 0 | 1 | 2 | 3;

/** Maps a box from the frame in which turned text is upright to the page as shown. */
export function turnBox({ x, y, w, h }: PageBox, turns: QuarterTurns): PageBox {
  const rest = (value: number): number => Math.max(0, Math.round((1 - value) * 10_000) / 10_000);
  if (turns === 1) return { x: rest(y + h), y: x, w: h, h: w };
  if (turns === 2) return { x: rest(x + w), y: rest(y + h), w, h };
  if (turns === 3) return { x: y, y: rest(x + w), w: h, h: w };
  return { x, y, w, h };
}
