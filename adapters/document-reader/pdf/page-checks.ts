import { CAPTIONED } from '../layout/figures.ts';
import { boxAround } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import { toRows } from '../layout/segments.ts';

const COLUMNS = 12;
const ROWS = 16;
/** An empty area of this many cells has room for an image. */
const ROOM = 14;

/**
 * Whether a page's text leaves room for an image, or is arranged as in cells. Reading a page's drawings costs as much
 * as its text, so it is done only where it can matter.
 */
export function mayHaveGraphics(runs: readonly Run[], width: number, height: number): boolean {
  if (runs.length === 0) return true;
  if (hasCells(runs)) return true;
  if (runs.some(({ text }) => CAPTIONED.test(text))) return true;
  return largestRoom(runs, width, height) >= ROOM;
}

/** Whether there are lines with wide gaps. */
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

/** Cells of the largest text-free rectangle between the outermost lines of text. */
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

/** Replacement, private use, unassigned and control characters, produced by fonts without a character map. */
const RUBBISH = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/gu;
/** With a larger share, the rest cannot be trusted either. */
const MOST_RUBBISH = 0.12;
const LETTER = /[\p{L}\p{N}]/gu;
/** Minimum share of letters: text of symbols only is a broken encoding. */
const FEWEST_LETTERS = 0.3;

/** Whether a page's text can be used as it is; otherwise the page must be rendered and recognised. */
export function isUsableText(text: string): boolean {
  // Dot leaders of contents and lines of forms are neither text nor rubbish.
  const dense = text.replaceAll(/\s+|(?:[._\-·…]\s*){3,}/gu, '');
  if (dense.length === 0) return false;
  const rubbish = dense.match(RUBBISH)?.length ?? 0;
  const letters = dense.match(LETTER)?.length ?? 0;
  if (rubbish > dense.length * MOST_RUBBISH) return false;
  return dense.length < 20 ? letters > 0 : letters >= dense.length * FEWEST_LETTERS;
}
