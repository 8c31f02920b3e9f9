import type { PageLines } from '../document/page-layout.ts';
import type { QuarterTurns } from './geometry.ts';
import type { Run, Segment } from './page-parts.ts';
import { cleanText } from './plain-text.ts';
import { toSegments } from './segments.ts';

/**
 * The lines of an upright page, for a model to arrange.
 *
 * @param page in units of its runs
 * @param unitsAPoint of the page
 * @param sizeOf the font size of a line in points
 */
export function pageLines(
  {
    runs,
    width,
    height,
    turns,
  }: { runs: readonly Run[]; width: number; height: number; turns: QuarterTurns },
  unitsAPoint: number,
  sizeOf: (line: Segment) => number,
): PageLines {
  const toPoints = (units: number): number => Math.round((units / unitsAPoint) * 10) / 10;
  const lines = toSegments(runs).map((line) => ({
    text: cleanText(line.text),
    x0: toPoints(line.x0),
    y0: toPoints(line.y0),
    x1: toPoints(line.x1),
    y1: toPoints(line.y1),
    baseline: toPoints(line.baseline),
    size: sizeOf(line),
    bold: line.bold,
    rightToLeft: line.rightToLeft,
  }));
  return { turns, width: toPoints(width), height: toPoints(height), lines };
}
