import type { PageParts, Run } from '../../packages/reader/src/layout/page-parts.ts';

/** A line of text at a position on a page; letters are half as wide as high. */
export function run(text: string, x: number, baseline: number, { size = 10, bold = false } = {}): Run {
  return {
    text,
    x0: x,
    x1: x + text.length * size * 0.5,
    y0: baseline - size * 0.78,
    y1: baseline + size * 0.22,
    baseline,
    size,
    bold,
    italic: false,
    monospaced: false,
    rightToLeft: false,
    spaceBefore: false,
  };
}

/** An upright A4 page. */
export function pageOf(runs: readonly Run[], parts: Partial<PageParts> = {}): PageParts {
  return { width: 595, height: 842, runs, rules: [], images: [], drawings: [], ...parts };
}
