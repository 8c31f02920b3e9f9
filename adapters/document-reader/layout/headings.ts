import { HEADING_WORDS } from '../../../domain/documents/page-line.ts';
import { median } from './geometry.ts';

/** Style of a heading or of a candidate for one. */
export interface HeadingStyle {
  size: number;
  bold: boolean;
  /** All letters are capitals. */
  capitals: boolean;
  /** Parts of its number: 2 for "3.1 Methods"; 0 without a number. */
  depth: number;
}

/** A heading style of a document and its level. */
export interface HeadingTier extends HeadingStyle {
  level: number;
}

/** The style of the body text, from which headings differ. */
export interface BodyStyle {
  size: number;
  bold: boolean;
  monospaced?: boolean;
}

const NUMBER = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?\)?\s+\P{Ll}/u;
const LETTERED = /^(?:[A-Z](?:\.\d{1,3}){1,4}|[A-Z]\.)\s+\p{Lu}/u;
const NAMED = new RegExp(String.raw`^(?:${HEADING_WORDS})\s+[\dA-Z]+\b`, 'iu');
const ROMAN = /^[IVXL]{1,6}\.\s+\p{Lu}/u;
const MOST_LEVELS = 6;
const LONGEST = 220;
/** A heading is larger than the text by this factor, or bold. */
const LARGER = 1.09;

/** Number of parts of a heading's number; 0 if it has none. */
export function numberDepth(text: string): number {
  const number = NUMBER.exec(text)?.[1];
  if (number !== undefined) return number.split('.').length;
  if (ROMAN.test(text) || NAMED.test(text)) return 1;
  if (LETTERED.test(text)) return text.split(/\s/)[0]?.replace(/\.$/, '').split('.').length ?? 1;
  return 0;
}

export function headingStyle(text: string, { size, bold }: BodyStyle): HeadingStyle {
  const letters = text.replaceAll(/\P{L}/gu, '');
  const capitals =
    letters.length >= 3 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
  return { size, bold, capitals, depth: numberDepth(text) };
}

/** Size relative to the text, to two decimals. */
export const relativeSize = ({ size }: Pick<BodyStyle, 'size'>, body: BodyStyle): number =>
  Math.round((size / body.size) * 100) / 100;

/** Whether a relative size occurs in headings only. */
export const isLarge = (relative: number): boolean => relative >= LARGER;

/** Whether a block of one style has the wording and style of a heading. */
export function isHeading(
  text: string,
  style: HeadingStyle & { monospaced?: boolean },
  body: BodyStyle,
  lines: number,
): boolean {
  // A listing, unless all text is typewritten.
  if (style.monospaced === true && body.monospaced !== true) return false;
  if (text.length > LONGEST || lines > 4 || !/\p{L}{2}|\p{Script=Han}/u.test(text)) return false;
  const ratio = style.size / body.size;
  if (isLarge(ratio)) return ratio >= 1.25 || !/[.;,]$/.test(text) || text.length < 60;
  if (ratio < 0.93) return false;
  const sentence = /[.;:,!?]$/.test(text) && !/^\S+\.$/.test(text);
  if (sentence || text.length > 120 || lines > 2) return false;
  return (style.bold && !body.bold) || (style.capitals && lines === 1 && text.length <= 80 && / /.test(text));
}

/**
 * Orders the styles of a document's headings into levels: by size, then weight, then capitals; if headings of one style
 * have numbers of several depths, by these.
 *
 * @param tolerance sizes that differ by less than this share are equal
 */
export function headingTiers(seen: readonly HeadingStyle[], tolerance: number): HeadingTier[] {
  const groups: { size: number; styles: HeadingStyle[] }[] = [];
  for (const style of seen.toSorted((a, b) => b.size - a.size)) {
    const group = groups.at(-1);
    if (group && group.size - style.size <= tolerance * group.size) group.styles.push(style);
    else groups.push({ size: style.size, styles: [style] });
  }
  const tiers = groups.flatMap(({ styles }) => {
    const size = median(styles.map((style) => style.size));
    const looks = new Map<string, HeadingStyle[]>();
    for (const style of styles) {
      const look = `${style.bold ? 0 : 1}${style.capitals ? 0 : 1}`;
      looks.set(look, [...(looks.get(look) ?? []), style]);
    }
    return [...looks.entries()]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .flatMap(([, same]) => byDepth(same, size));
  });
  return tiers.map((tier, index) => ({ ...tier, level: Math.min(index + 1, MOST_LEVELS) }));
}

function byDepth(styles: readonly HeadingStyle[], size: number): HeadingStyle[] {
  const depths = [...new Set(styles.map(({ depth }) => depth))].filter((depth) => depth > 0).toSorted();
  const [first] = styles;
  if (!first) return [];
  return (depths.length > 0 ? depths : [0]).map((depth) => ({ ...first, size, depth }));
}

/** Usual heading sizes relative to the text, from the first level on. */
const USUAL_RATIOS = [1.55, 1.25];

/**
 * Levels for a page of an unknown document: by the numbers of the headings, or by their size relative to the text, so
 * that all pages of a document agree.
 */
export function usualLevel({ size, depth }: HeadingStyle, body: BodyStyle): number {
  if (depth > 0) return Math.min(depth, MOST_LEVELS);
  const level = USUAL_RATIOS.findIndex((ratio) => size / body.size >= ratio);
  return level < 0 ? USUAL_RATIOS.length + 1 : level + 1;
}

/** The level of a heading: that of the nearest style among its document's tiers. */
export function headingLevel(style: HeadingStyle, tiers: readonly HeadingTier[]): number {
  let best = { level: 1, distance: Infinity };
  for (const tier of tiers) {
    const distance =
      Math.abs(Math.log(tier.size / style.size)) * 40 +
      (tier.bold === style.bold ? 0 : 1.5) +
      (tier.capitals === style.capitals ? 0 : 0.5) +
      (style.depth === 0
        ? tier.depth * 0.05
        : Math.abs(tier.depth - style.depth) * (tier.depth === 0 ? 0.4 : 1));
    if (distance < best.distance) best = { level: tier.level, distance };
  }
  return best.level;
}
