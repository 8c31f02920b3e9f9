import { heightOf, relativeBox, widthOf, type Box } from '../layout/geometry.ts';
import type { Letter } from './collect-runs.ts';
import type { PageLink } from './links.ts';
import type { PdfPage } from './open-pdf.ts';

/** How far above the baseline of its text a line is that strikes it, in heights of the font: others are under or over it. */
const HEIGHTS = { least: 0.15, most: 0.45 } as const;
/** How thick it is at most, in the same measure. */
const THICK = 0.2;
/** The share of such a line that letters have: lines of charts and forms go on beside theirs. */
const COVERED = 0.6;
/** Of a page with more lines, none is looked at. */
const MOST_LINES = 5_000;
const MOST_FOUND = 500;

/** Finds text that level lines of a page go through. */
export function createStrikes(rules: readonly Box[]) {
  const level = rules.filter((rule) => widthOf(rule) > heightOf(rule) && widthOf(rule) > 1);
  /** By their height on the page, in whole points. */
  const lines = Map.groupBy(level.length > MOST_LINES ? [] : level, ({ y0, y1 }) =>
    Math.floor((y0 + y1) / 2),
  );
  const struck = new Map<Box, { text: string; width: number }>();
  return {
    add(code: number, { x0, x1, baseline, size, turns, angle }: Letter): void {
      if (lines.size === 0 || turns !== 0 || angle !== 0) return;
      const [top, bottom] = [baseline - HEIGHTS.most * size, baseline - HEIGHTS.least * size];
      const middle = (x0 + x1) / 2;
      for (let y = Math.floor(top); y <= bottom; y++)
        for (const line of lines.get(y) ?? []) {
          const at = (line.y0 + line.y1) / 2;
          if (
            at < top ||
            at > bottom ||
            middle < line.x0 ||
            middle > line.x1 ||
            heightOf(line) > THICK * size
          )
            continue;
          const { text, width } = struck.get(line) ?? { text: '', width: 0 };
          struck.set(line, { text: text + String.fromCodePoint(code), width: width + x1 - x0 });
        }
    },
    found: (page: PdfPage): PageLink[] =>
      [...struck]
        .filter(([line, { width }]) => width >= COVERED * widthOf(line))
        .slice(0, MOST_FOUND)
        .map(([line, { text }]) => ({ target: null, text, box: relativeBox(line, page) })),
  };
}
