import { median } from './geometry.ts';
import type { BodyStyle, HeadingTier } from './headings.ts';
import type { Run } from './page-parts.ts';
import type { RunningBand } from './running-bands.ts';
import type { RunningLine } from './running-lines.ts';

/** Common properties of a document's pages, learned from many of them. JSON. */
export interface LayoutProfile {
  body: BodyStyle;
  headings: HeadingTier[];
  running: RunningLine[];
  /** Heights at which running lines change their words. */
  bands?: RunningBand[];
  /** Whether its sheets have two pages each, beside each other. */
  imposed?: boolean;
}

/** Validates a stored profile, which comes back as JSON. */
export function isLayoutProfile(value: unknown): value is LayoutProfile {
  if (typeof value !== 'object' || value === null) return false;
  const { body, headings, running } = value as Partial<Record<keyof LayoutProfile, unknown>>;
  const size = (body as Partial<BodyStyle> | undefined)?.size;
  return typeof size === 'number' && Array.isArray(headings) && Array.isArray(running);
}

/** With a smaller share of the characters, what is not typewritten is no text: its titles, its page numbers. */
const LEAST_PROSE = 0.15;
/** Of so many characters, a style with this share is text, however large. */
const MANY = 3_000;
const MUCH = 0.15;

/** The style of most characters; listings are not the text, unless there is no other. */
export function bodyStyle(counts: ReadonlyMap<string, number>): BodyStyle {
  const styles = [...counts].map(([key, count]) => {
    const [size = '10', bold = '0', monospaced = '0'] = key.split('|');
    return { size: Number(size), bold: bold === '1', monospaced: monospaced === '1', count };
  });
  const total = styles.reduce((sum, { count }) => sum + count, 0);
  const prose = styles.filter(({ monospaced }) => !monospaced);
  const isProse = prose.reduce((sum, { count }) => sum + count, 0) >= LEAST_PROSE * total;
  const most = (isProse ? prose : styles).toSorted((a, b) => b.count - a.count)[0];
  if (!most) return { size: 10, bold: false };
  const { size, bold, monospaced } = most;
  const much = prose.filter((style) => !style.bold && total >= MANY && style.count >= MUCH * total);
  const largest = Math.max(size, ...much.map((style) => style.size));
  return { size, bold, ...(monospaced && { monospaced }), ...(largest > size && { largest }) };
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

function isTypewritten(runs: readonly Run[]): boolean {
  const letters = (some: readonly Run[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return letters(runs.filter(({ monospaced }) => monospaced === true)) > (1 - LEAST_PROSE) * letters(runs);
}

/**
 * The profile for a recognised page of a document, from its pages with text. Running lines are relative and apply
 * to both; headings of a single style do not show the levels of others.
 */
export function pageProfile(profile: unknown, runs: readonly Run[]): LayoutProfile {
  const size = median(runs.flatMap(({ size, text }) => Array.from({ length: text.length }, () => size))) || 1;
  const known = isLayoutProfile(profile) ? profile : { headings: [], running: [] };
  const headings = known.headings.length < 2 ? [] : known.headings;
  return {
    body: { size, bold: false, ...(isTypewritten(runs) && { monospaced: true }) },
    headings,
    running: known.running,
  };
}
