import { median } from './geometry.ts';
import type { BodyStyle, HeadingTier } from './headings.ts';
import type { Run } from './page-parts.ts';
import type { RunningLine } from './running-lines.ts';

/** Common properties of a document's pages, learned from many of them. JSON. */
export interface LayoutProfile {
  body: BodyStyle;
  headings: HeadingTier[];
  running: RunningLine[];
}

/** Validates a stored profile, which comes back as JSON. */
export function isLayoutProfile(value: unknown): value is LayoutProfile {
  if (typeof value !== 'object' || value === null) return false;
  const { body, headings, running } = value as Partial<Record<keyof LayoutProfile, unknown>>;
  const size = (body as Partial<BodyStyle> | undefined)?.size;
  return typeof size === 'number' && Array.isArray(headings) && Array.isArray(running);
}

/** The style of most characters. */
export function bodyStyle(counts: ReadonlyMap<string, number>): BodyStyle {
  let best = { key: '10|0', count: 0 };
  for (const [key, count] of counts) if (count > best.count) best = { key, count };
  const [size = '10', bold = '0', monospaced = '0'] = best.key.split('|');
  return { size: Number(size), bold: bold === '1', ...(monospaced === '1' && { monospaced: true }) };
}

/** Adds the characters of pieces of text to counts by style. */
export function countStyles(
  parts: Iterable<{ text: string; size: number; bold: boolean; monospaced?: boolean }>,
  counts = new Map<string, number>(),
): Map<string, number> {
  for (const { text, size, bold, monospaced } of parts) {
    const key = `${Math.round(size * 4) / 4}|${bold ? 1 : 0}|${monospaced ? 1 : 0}`;
    counts.set(key, (counts.get(key) ?? 0) + text.length);
  }
  return counts;
}

/**
 * The document's profile from its pages with text, in units of a recognised page. Running lines are relative and apply
 * to both; headings of a single style do not show the levels of others.
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
