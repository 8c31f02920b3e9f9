import { CAPTIONED } from './figures.ts';
import { boxAround, heightOf, overlapX, overlapY, widthOf, type Box } from './geometry.ts';
import type { Segment } from './page-parts.ts';

/** Lines and curves closer than this, in points, are one drawing. */
const CELL = 12;
/** Maximum number of cells along the longer side of a page. */
const MOST_CELLS = 200;
const ROW = 2 * MOST_CELLS;
/** Maximum number of cells visited for all strokes of a page: about 10 ms. Later strokes are ignored. */
const MOST_VISITS = 100_000;
/** Smaller drawings are signs and ornaments. */
const SMALLEST_SIDE = 48;
/** Maximum distance of a drawing from its caption, in heights of the caption's font. */
const NEAR = 3.5;

/** Joins curves and slanting lines of a page: one box for all that are near each other. */
export function joinStrokes(strokes: readonly Box[], page: { width: number; height: number }): Box[] {
  const size = Math.max(CELL, Math.max(page.width, page.height) / MOST_CELLS);
  const cells = new Map<number, Box>();
  let visits = 0;
  for (const { x0, y0, x1, y1 } of strokes) {
    const stroke = {
      x0: Math.max(0, x0),
      y0: Math.max(0, y0),
      x1: Math.min(page.width, x1),
      y1: Math.min(page.height, y1),
    };
    if (stroke.x1 < stroke.x0 || stroke.y1 < stroke.y0) continue;
    if (visits > MOST_VISITS) break;
    for (const cell of cellsOf(stroke, size)) {
      visits += 1;
      const known = cells.get(cell);
      cells.set(cell, known ? boxAround([known, stroke]) : stroke);
    }
  }
  const drawings: Box[] = [];
  for (const [start] of cells) {
    const open = [start];
    const found: Box[] = [];
    while (open.length > 0) {
      const cell = open.pop() ?? 0;
      const here = cells.get(cell);
      if (!here) continue;
      cells.delete(cell);
      found.push(here);
      for (const x of [-1, 0, 1]) for (const y of [-1, 0, 1]) open.push(cell + x + y * ROW);
    }
    if (found.length > 0) drawings.push(boxAround(found));
  }
  return drawings.filter((box) => Math.min(widthOf(box), heightOf(box)) >= SMALLEST_SIDE);
}

/** The numbers of the cells that the edges of a box cross. */
function* cellsOf({ x0, y0, x1, y1 }: Box, size: number): Generator<number> {
  const [left, right] = [Math.floor(x0 / size), Math.floor(x1 / size)];
  const [top, bottom] = [Math.floor(y0 / size), Math.floor(y1 / size)];
  for (let x = left; x <= right; x++)
    for (let y = top; y <= bottom; y += x === left || x === right || bottom === top ? 1 : bottom - top)
      yield x + 1 + y * ROW;
}

/** The drawings next to a caption; others may be anything, such as a border. */
export function captionedDrawings(drawings: readonly Box[], segments: readonly Segment[]): Box[] {
  const captions = segments.filter(({ text }) => CAPTIONED.test(text));
  return drawings.filter((box) =>
    captions.some(
      (caption) =>
        overlapX(box, caption) > Math.min(widthOf(box), widthOf(caption)) * 0.3 &&
        overlapY(box, caption) <= caption.size &&
        -overlapY(box, caption) < NEAR * caption.size,
    ),
  );
}
