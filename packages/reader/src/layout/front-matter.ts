/** What a document's first page says between its title and its text: authors, dates, versions. */
import type { FoundPart } from './find-parts.ts';
import type { BodyStyle, HeadingStyle } from './headings.ts';

/** The title is larger than the text by this factor. */
const TITLE = 1.15;
const SAME_SIZE = 0.03;
/** A longer paragraph is text. */
const TEXT = 160;
/** What begins the text. */
const FIRST_SECTION =
  /^(?:abstract|summary|executive summary|contents|table of contents|introduction|overview|preface|foreword|zusammenfassung|inhalt|inhaltsverzeichnis|einleitung|vorwort|résumé|sommaire|table des matières|introducción|resumen|índice|sommario|indice)\.?$/iu;
/** A document with so many styles of headings may have a cover, of few letters. */
const MANY = 3;
const COVER = 700;
/** Two names or more, or one with a mark of its affiliation. */
const NAME = /^(?:\p{Lu}[\p{L}.'’-]*|the|and|et|und|y|e|de|van|von|der|&)?[\d,*∗†‡§¶]*$/u;
const JOINED = /[,&∗†‡*§¶]|\s(?:and|et|und)\s|\b\p{Lu}\.\s\p{Lu}/u;
const DATED = /@|\b(?:19|20)\d\d\b|^(?:version|release|edition|revision|rev\.|stand|by)\b/iu;

/** Makes paragraphs of the lines below the title that are no headings, unless other headings look like them. */
export function withoutFrontMatter(
  parts: readonly FoundPart[],
  body: BodyStyle,
  known: readonly HeadingStyle[],
): FoundPart[] {
  const headings = parts.flatMap((part) => (part.kind === 'heading' ? [part.style] : []));
  const largest = Math.max(0, ...headings.map(({ size }) => size));
  const title = parts.findIndex((part) => part.kind === 'heading' && part.style.size === largest);
  if (largest < TITLE * body.size) return [...parts];
  // A cover has no sections, however alike its lines look.
  const isCover = known.length >= MANY && lettersOf(parts) < COVER && !parts.some(isOfText);
  const ends = isCover ? -1 : parts.findIndex((part, at) => at > title && (isOfText(part) || isLong(part)));
  const below = ends < 0 ? parts.length : ends;
  const others = [
    ...(isCover ? [] : known),
    ...parts.flatMap((part, at) => (part.kind === 'heading' && at >= below ? [part.style] : [])),
  ];
  return parts.map((part, at) => {
    if (part.kind !== 'heading' || at <= title || at >= below) return part;
    const { style, block } = part;
    if (style.size > largest * (1 - SAME_SIZE)) return part;
    const { text } = block;
    const isNamed =
      text.length < TEXT &&
      (DATED.test(text) || (JOINED.test(text) && text.split(/\s/).every((word) => NAME.test(word))));
    return isNamed || !others.some((other) => isAlike(other, style))
      ? { kind: 'text', block, column: -1 }
      : part;
  });
}

function isOfText(part: FoundPart): boolean {
  if (part.kind === 'heading')
    return part.style.depth > 0 || part.style.outline !== undefined || FIRST_SECTION.test(part.block.text);
  return part.kind === 'list' || part.kind === 'table' || part.kind === 'pair';
}

const isLong = (part: FoundPart): boolean => part.kind === 'text' && part.block.text.length >= TEXT;

const lettersOf = (parts: readonly FoundPart[]): number =>
  parts.reduce((sum, part) => sum + ('block' in part ? part.block.text.length : 0), 0);

const isAlike = (one: HeadingStyle, other: HeadingStyle): boolean =>
  Math.abs(one.size / other.size - 1) < SAME_SIZE && one.bold === other.bold;
