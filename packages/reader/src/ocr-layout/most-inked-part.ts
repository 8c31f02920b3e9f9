import type { PageRaster } from '../opened-document.ts';

/** Share of a page's height: a dozen lines of text. */
const PART = 0.25;
/** Maximum luminance of ink. */
const INK = 128;
/** Distance of the rows that are looked at, finer than letters. */
const STRIDE = 4;

/**
 * The strip with the most text among some pages, by the edges of ink along its rows: enough to judge how to read the
 * others, for a quarter of the cost of a page.
 *
 * @returns undefined without ink
 */
export function mostInkedPart(pages: readonly PageRaster[]): PageRaster | undefined {
  let best: { edges: number; page: PageRaster; top: number; height: number } | undefined;
  for (const page of pages) {
    const edges = edgesOfRows(page);
    const rows = Math.max(1, Math.round(edges.length * PART));
    let sum = 0;
    for (const [row, count] of edges.entries()) {
      sum += count - (edges[row - rows] ?? 0);
      if (sum <= (best?.edges ?? 0)) continue;
      const top = Math.max(0, row - rows + 1) * STRIDE;
      best = { edges: sum, page, top, height: Math.min(rows * STRIDE, page.height - top) };
    }
  }
  if (!best) return undefined;
  const { page, top, height } = best;
  return { ...page, height, grey: page.grey.slice(top * page.width, (top + height) * page.width) };
}

function edgesOfRows({ grey, width, height }: PageRaster): number[] {
  const counts: number[] = [];
  for (let y = 0; y < height; y += STRIDE) {
    let edges = 0;
    let inside = false;
    for (let x = 0; x < width; x++) {
      const isInk = (grey[y * width + x] ?? 255) < INK;
      if (isInk !== inside) edges += 1;
      inside = isInk;
    }
    counts.push(edges);
  }
  return counts;
}
