import type { PageLines } from '../document/page-layout.ts';
import type { QuarterTurns } from './geometry.ts';
import type { Run, Segment } from './page-parts.ts';
import { cleanText } from './plain-text.ts';
import { toSegments } from './segments.ts';

/**
 * The lines of an upright page, for a model to arrange.
 *
 * @param page in points
 * @param sizeOf the font size of a line in points
 */
export function pageLines(
  {
    runs,
    width,
    height,
    turns,
  }: { runs: readonly Run[]; width: number; height: number; turns: QuarterTurns },
  sizeOf: (line: Segment) => number,
): PageLines {
  const toTenths = (value: number): number => Math.round(value * 10) / 10;
  const lines = toSegments(runs).map((line) => ({
    text: cleanText(line.text),
    x0: toTenths(line.x0),
    y0: toTenths(line.y0),
    x1: toTenths(line.x1),
    y1: toTenths(line.y1),
    baseline: toTenths(line.baseline),
    size: sizeOf(line),
    bold: line.bold,
    rightToLeft: line.rightToLeft,
  }));
  return { turns, width: toTenths(width), height: toTenths(height), lines };
}
