import { CAPTIONED } from './figures.ts';
import { boxAround } from './geometry.ts';
import type { Run } from './page-parts.ts';
import { toRows } from './segments.ts';

const COLUMNS = 12;
const ROWS = 16;
/** An empty part of this many cells has room for a picture. */
const ROOM = 14;

/**
 * Whether a page's text leaves room for a picture, or stands as in cells. Reading what a page draws costs as much as its
 * text, so it is done only where it can matter.
 */
export function mayHaveGraphics(runs: readonly Run[], width: number, height: number): boolean {
  if (runs.length === 0) return true;
  if (hasCells(runs)) return true;
  if (runs.some(({ text }) => CAPTIONED.test(text))) return true;
  return largestRoom(runs, width, height) >= ROOM;
}

/** Lines with wide gaps. */
function hasCells(runs: readonly Run[]): boolean {
  let gaps = 0;
  for (const row of toRows(runs)) {
    let before: Run | undefined;
    for (const run of row) {
      if (before && run.x0 - before.x1 > 1.5 * run.size && before.text.length < 40 && run.text.length < 40)
        gaps += 1;
      before = run;
    }
  }
  return gaps >= 3;
}

/** Cells of the largest rectangle without text, between the outermost lines of text. */
function largestRoom(runs: readonly Run[], width: number, height: number): number {
  const taken = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, () => false));
  const area = boxAround(runs);
  const [left, top] = [Math.min(area.x0, width * 0.12), Math.min(area.y0, height * 0.12)];
  const cellWidth = (Math.max(area.x1, width * 0.88) - left) / COLUMNS;
  const cellHeight = (Math.max(area.y1, height * 0.88) - top) / ROWS;
  for (const run of runs) {
    const row =
      taken[Math.min(ROWS - 1, Math.max(0, Math.floor(((run.y0 + run.y1) / 2 - top) / cellHeight)))];
    const from = Math.max(0, Math.floor((run.x0 - left) / cellWidth));
    const to = Math.min(COLUMNS - 1, Math.floor((run.x1 - left) / cellWidth));
    row?.fill(true, from, to + 1);
  }
  const depths = Array.from({ length: COLUMNS }, () => 0);
  let largest = 0;
  for (const row of taken) {
    for (const [column, isTaken] of row.entries()) depths[column] = isTaken ? 0 : (depths[column] ?? 0) + 1;
    for (let from = 0; from < COLUMNS; from++) {
      let depth = ROWS;
      for (let to = from; to < COLUMNS; to++) {
        depth = Math.min(depth, depths[to] ?? 0);
        if (to - from >= 1 && depth >= 2) largest = Math.max(largest, depth * (to - from + 1));
      }
    }
  }
  return largest;
}
