import { median } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import { isLayoutProfile, type LayoutProfile } from '../layout/profile.ts';

/**
 * What the pages with text say of the whole document, in units of a recognised one. Running lines are relative, and hold
 * for both; headings of a single style say nothing of the levels of others.
 */
export function pageProfile(profile: unknown, runs: readonly Run[], unitsAPoint: number): LayoutProfile {
  const size = median(runs.flatMap(({ size, text }) => Array.from({ length: text.length }, () => size))) || 1;
  const known = isLayoutProfile(profile) ? profile : { headings: [], running: [] };
  const headings = known.headings.length < 2 ? [] : known.headings;
  return {
    body: { size, bold: false },
    headings: headings.map((tier) => ({ ...tier, size: tier.size * unitsAPoint })),
    running: known.running,
  };
}
