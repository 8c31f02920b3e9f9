/** Listings of programs: lines whose breaks and indents are part of what they say. */
import { median, widthOf } from './geometry.ts';
import type { Run, Segment } from './page-parts.ts';

/** Longer indents are not those of a listing, but columns beside each other. */
const MOST_SPACES = 120;

/**
 * The lines of a listing with the spaces that their positions stand for.
 *
 * @param lines of one column, from top to bottom
 */
export function listingText(lines: readonly Segment[]): string {
  const runs = lines.flatMap((line) => line.runs);
  const advance = median(runs.flatMap((run) => Array.from(run.text, () => widthOf(run) / run.text.length)));
  const left = Math.min(...runs.map(({ x0 }) => x0));
  return lines.map((line) => lineText(line.runs, left, advance)).join('\n');
}

function lineText(runs: readonly Run[], left: number, advance: number): string {
  let text = '';
  let right = left;
  for (const run of runs) {
    const gap = advance > 0 ? Math.round((run.x0 - right) / advance) : 0;
    text += ' '.repeat(Math.min(Math.max(gap, 0), MOST_SPACES)) + run.text;
    right = run.x1;
  }
  return text;
}
