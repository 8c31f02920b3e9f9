import type { PageBox } from '../../../domain/documents/page.ts';

/** Quarter turns clockwise by which the text of a page is turned. */
export type QuarterTurns = 0 | 1 | 2 | 3;

/** A box of the frame in which turned text is upright, on the page as it is shown. */
export function turnBox({ x, y, w, h }: PageBox, turns: QuarterTurns): PageBox {
  const rest = (value: number): number => Math.max(0, Math.round((1 - value) * 10_000) / 10_000);
  if (turns === 1) return { x: rest(y + h), y: x, w: h, h: w };
  if (turns === 2) return { x: rest(x + w), y: rest(y + h), w, h };
  if (turns === 3) return { x: y, y: rest(x + w), w: h, h: w };
  return { x, y, w, h };
}
