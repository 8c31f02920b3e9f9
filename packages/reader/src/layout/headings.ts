import { HEADING_WORDS } from '../document/page-line.ts';
import { median } from './geometry.ts';

/** Style of a heading or of a candidate for one. */
export interface HeadingStyle {
  size: number;
  bold: boolean;
  /** All letters are capitals. */
  capitals: boolean;
  /** Parts of its number: 2 for "3.1 Methods"; 0 without a number. */
  depth: number;
  /** Its level in the document's outline, if the outline has it. */
  outline?: number;
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
  /** The largest size of much of the text, if it is larger. */
  largest?: number;
}

const NUMBER = /^(?:§\s?)?(\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){0,5})\.?\)?\s+\P{Ll}/u;
/** Two initials are a name's. */
const LETTERED = /^(?:[A-Z](?:\.\d{1,3}){1,4}|[A-Z]\.)\s+\p{Lu}(?!\.)/u;
const NAMED = new RegExp(String.raw`^(?:${HEADING_WORDS})\s+[\p{Nd}A-Z]+(?![\p{L}\p{N}])`, 'iu');
const ROMAN = /^[IVXL]{1,6}\.\s+\p{Lu}/u;
const MOST_LEVELS = 6;
const LONGEST = 220;
/** A heading is larger than the text by this factor, or bold. */
const LARGER = 1.09;

/** A day, as "20 April 1999": no number of a section. */
const DATE = /^\d{1,2}\.?\s\p{L}{3,12}\.?,?\s(?:19|20)\d\d$/u;

/** Number of parts of a heading's number; 0 if it has none. */
export function numberDepth(text: string): number {
  if (DATE.test(text)) return 0;
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

/** What the caption of a figure or a table begins with. */
export const CAPTION =
  /^(?:(?:fig(?:ure)?|tab(?:le)?|abb(?:ildung)?|tabelle|tableau|figura|tabla|tabella|listing|algorithm|box|scheme|chart|exhibit|plate|photo|рис(?:унок)?|табл(?:ица)?)\.?\s*(?:\d|[IVXL]+\b|[A-Z]\.?\d)|(?:ال)?(?:شكل|شکل|جدول|صورة|تصویر)\s*\p{Nd}|(?:איור|תרשים|טבלה|לוח)\s*\p{Nd}|[图圖表]\s*\d)/iu;
/** A chapter's word, or its number in words, in a line of its own. */
const LABEL_WORD = new RegExp(
  String.raw`^(?:${HEADING_WORDS}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$`,
  'iu',
);
const MOST_ITALIC = 60;
const BEGINS = /^[\p{Lu}\p{Lo}\p{Lt}\p{N}§"“«„‘'¿¡]|^\(\p{N}/u;
/** Formulas and names of functions. */
const CODE = /[=<>{}\\|_]|\(\s*\)$/;

/** Titles of sections that many documents have. */
const SECTION =
  /^(?:abstract|summary|introduction|conclusions?|references|bibliography|acknowledge?ments?|appendix|contents|index|glossary|preface|zusammenfassung|einleitung|literatur|inhalt|résumé|sommaire|bibliographie|resumen|referencias)$/iu;

/** Distances from the line above, in heights of the font, of what is little larger, and of what is set off by it alone. */
const GAP = 1.3;
const WIDE_GAP = 1.5;

/**
 * Whether a block of one style has the wording and style of a heading. Its `gap` is the distance of its baseline from
 * that of the line above in heights of the font.
 */
export function isHeading(
  text: string,
  style: HeadingStyle & { monospaced?: boolean; italic?: boolean; gap?: number },
  body: BodyStyle,
  lines: number,
): boolean {
  // A listing, unless all text is typewritten.
  if (style.monospaced === true && body.monospaced !== true) return false;
  if (text.length > LONGEST || lines > 4 || !/\p{L}{2}|\p{Script=Han}/u.test(text)) return false;
  if (CAPTION.test(text) || LABEL_WORD.test(text) || DATE.test(text)) return false;
  const ratio = style.size / (style.bold ? body.size : (body.largest ?? body.size));
  if (ratio >= 1.25) return true;
  const isPlain = style.depth > 1 || (BEGINS.test(text) && !CODE.test(text));
  if (isLarge(ratio)) {
    if (!style.bold && (!isPlain || (style.gap ?? GAP) < GAP)) return false;
    return !/[.;,]$/.test(text) || text.length < 60;
  }
  if (ratio < 0.93) return false;
  const sentence = /[.;:,!?،؛؟。]$/u.test(text) && !/^\S+\.$/.test(text);
  if (sentence || text.length > 120 || lines > 2) return false;
  if (!isPlain) return false;
  if (style.bold && !body.bold) return true;
  if ((style.gap ?? WIDE_GAP) < WIDE_GAP || lines > 1) return false;
  if (text.length > 80) return false;
  if (style.capitals) return / /.test(text) || SECTION.test(text);
  if (style.gap !== undefined && style.depth > 1) return true;
  // Names and quotations are set like this, too, but with commas or at length.
  const isTitle =
    LETTERED.test(text) || (text.length <= MOST_ITALIC && (style.depth > 0 || !/[,;@\d،؛]/u.test(text)));
  return style.italic === true && isTitle;
}

/**
 * Orders the styles of a document's headings into levels: by the document's outline, or by their numbers if larger ones
 * have fewer parts; others by size, then weight, then capitals. A larger style above all these is the title's.
 *
 * @param tolerance sizes that differ by less than this share are equal
 */
export function headingTiers(seen: readonly HeadingStyle[], tolerance: number): HeadingTier[] {
  const tiers = orderedTiers(seen, tolerance);
  const offset = outlineOffset(seen) ?? (isByNumber(seen, tolerance) ? 0 : undefined);
  if (offset === undefined)
    return tiers.map((tier, index) => ({ ...tier, level: Math.min(index + 1, MOST_LEVELS) }));
  let deepest = 0;
  // A smaller style is below the larger ones, whatever its numbers say.
  const known = tiers.map(({ outline, depth }) => {
    const level = outline ?? (depth > 0 && depth + offset >= deepest ? depth + offset : undefined);
    deepest = Math.max(deepest, level ?? 0);
    return level;
  });
  const first = known.findIndex((level) => level !== undefined);
  const top = tiers[first]?.size ?? 0;
  const below = first > 0 && (tiers[0]?.size ?? 0) > top * (1 + tolerance) ? 1 : 0;
  let above = 0;
  return tiers.map((tier, index) => {
    const own = known[index];
    const level = own ?? (index < first ? 1 - below : above + 1);
    if (own !== undefined) above = Math.max(above, own);
    return { ...tier, level: Math.max(1, Math.min(level + below, MOST_LEVELS)) };
  });
}

/** By size, weight, capitals and depth. */
function orderedTiers(seen: readonly HeadingStyle[], tolerance: number): HeadingStyle[] {
  const groups: { size: number; styles: HeadingStyle[] }[] = [];
  for (const style of seen.toSorted((a, b) => b.size - a.size)) {
    const group = groups.at(-1);
    if (group && group.size - style.size <= tolerance * group.size) group.styles.push(style);
    else groups.push({ size: style.size, styles: [style] });
  }
  return groups.flatMap(({ styles }) => {
    const size = median(styles.map((style) => style.size));
    const looks = Map.groupBy(styles, ({ bold, capitals }) => `${bold ? 0 : 1}${capitals ? 0 : 1}`);
    return [...looks.entries()]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .flatMap(([, same]) => byDepth(same, size));
  });
}

function byDepth(styles: readonly HeadingStyle[], size: number): HeadingStyle[] {
  const depths = Map.groupBy(styles, ({ depth }) => depth);
  return [...depths]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([depth, [first, ...others]]) => {
      if (!first) return [];
      const outline = mostOf([first, ...others].flatMap(({ outline }) => outline ?? []));
      if (depth === 0 && depths.size > 1 && outline === undefined) return [];
      const { bold, capitals } = first;
      return [{ size, bold, capitals, depth, ...(outline !== undefined && { outline }) }];
    });
}

/** By how much levels of the outline exceed the parts of the number. */
function outlineOffset(seen: readonly HeadingStyle[]): number | undefined {
  const matched = seen.filter(({ outline }) => outline !== undefined);
  if (matched.length === 0) return undefined;
  const numbered = matched.filter(({ depth }) => depth > 0);
  return mostOf(numbered.map(({ outline = 0, depth }) => outline - depth)) ?? 0;
}

function isByNumber(seen: readonly HeadingStyle[], tolerance: number): boolean {
  const depths = Map.groupBy(
    seen.filter(({ depth }) => depth > 0),
    ({ depth }) => depth,
  );
  const sizes = [...depths]
    .toSorted(([a], [b]) => a - b)
    .map(([, styles]) => median(styles.map(({ size }) => size)));
  return (
    sizes.length > 1 && sizes.every((size, at) => at === 0 || size <= (sizes[at - 1] ?? 0) * (1 + tolerance))
  );
}

function mostOf(numbers: readonly number[]): number | undefined {
  const counted = [...Map.groupBy(numbers, (number) => number).entries()];
  return counted.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
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

/** Sizes of numbered headings of one depth differ by no more than this share. */
const SAME_DEPTH = 0.15;

/** The level of a heading: that of the outline, or of the nearest style among its document's tiers. */
export function headingLevel(style: HeadingStyle, tiers: readonly HeadingTier[]): number {
  if (style.outline !== undefined) {
    const known = tiers.find(({ outline }) => outline !== undefined);
    return Math.min(style.outline + (known ? known.level - (known.outline ?? 1) : 0), MOST_LEVELS);
  }
  const sameDepth = tiers.filter(
    ({ depth, size }) => depth > 0 && depth === style.depth && Math.abs(size / style.size - 1) < SAME_DEPTH,
  );
  let best = { level: 1, distance: Infinity };
  for (const tier of sameDepth.length > 0 ? sameDepth : tiers) {
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
