import type { PageElement } from '../document/page.ts';
import { CAPTIONED } from './figures.ts';
import { findParts, type FindOptions, type FoundPart } from './find-parts.ts';
import { withoutFrontMatter } from './front-matter.ts';
import { type Box, boxAround, overlapX, overlapY, widthOf } from './geometry.ts';
import { headingLevel, type HeadingStyle, headingTiers, relativeSize, usualLevel } from './headings.ts';
import { createTitleFinder } from './outline-titles.ts';
import type { PageParts, Run } from './page-parts.ts';
import { type HeadingFacts, presentPart } from './present-part.ts';
import { toSegments } from './segments.ts';
import { bodyStyle, countStyles, type LayoutProfile } from './profile.ts';
import { makeBlock, type TextBlock } from './text-blocks.ts';

interface LayoutOptions {
  /** Profile of the document; without it, the page is judged by itself. */
  profile?: LayoutProfile | undefined;
  /** Page number in the document; 1 for a page that is judged by itself. */
  pageNumber?: number;
  /** Font sizes that differ by less than this share are equal: recognised text is measured roughly. */
  sizeTolerance?: number;
  /** The font size of a heading in points, for levels determined when all pages have been read. */
  fontSizeOf?: (heading: TextBlock) => number;
  /** The runs of the page divided into columns, in reading order; the rules may divide each of them further. */
  columns?: readonly (readonly Run[])[];
}

const SAME_SIZE = 0.04;

/** The elements of an upright page, in reading order. */
export function layOutPage(
  page: PageParts,
  {
    profile,
    pageNumber = 1,
    sizeTolerance = SAME_SIZE,
    fontSizeOf,
    columns = [page.runs],
  }: LayoutOptions = {},
): PageElement[] {
  const body = profile?.body ?? bodyStyle(countStyles(page.runs));
  const found = partsOf(page, columns, { body, profile, pageNumber, sizeTolerance });
  const tiers = profile?.headings ?? headingTiers(stylesOf(found), sizeTolerance);
  const describeHeading = (block: TextBlock, style: HeadingStyle): HeadingFacts => ({
    level: tiers.length > 0 ? headingLevel(style, tiers) : usualLevel(style, body),
    ...(fontSizeOf && { fontSize: fontSizeOf(block), relativeSize: relativeSize(style, body) }),
  });
  return attachCaptions(joinDivided(found)).map((part) => presentPart(part, describeHeading, page));
}

/** The styles of a page's headings, to derive the document's levels. */
export function headingStyles(page: PageParts, profile: LayoutProfile, pageNumber: number): HeadingStyle[] {
  return stylesOf(
    partsOf(page, [page.runs], { body: profile.body, profile, pageNumber, sizeTolerance: SAME_SIZE }),
  );
}

function partsOf(
  page: PageParts,
  columns: readonly (readonly Run[])[],
  given: Omit<FindOptions, 'titles'>,
): FoundPart[] {
  // A title of the outline is in one of the columns, though others may repeat its words.
  const options = { ...given, titles: createTitleFinder(page.outline ?? [], columns.flatMap(toSegments)) };
  const shares = columns.length > 1 ? shareOut(page, columns) : [page];
  const parts = columns.flatMap((runs, at) =>
    findParts({ ...page, ...shares[at], runs }, options).map((part): FoundPart =>
      // Numbers that are the first of no other column.
      part.kind === 'text' ? { ...part, column: part.column + at * page.runs.length } : part,
    ),
  );
  return options.pageNumber === 1
    ? withoutFrontMatter(parts, options.body, options.profile?.headings ?? [])
    : parts;
}

/** The pictures and drawings of each column: those nearest to it. */
function shareOut(
  { images, drawings }: PageParts,
  columns: readonly (readonly Run[])[],
): Pick<PageParts, 'images' | 'drawings'>[] {
  const boxes = columns.map(boxAround);
  const distance = (box: Box, column: Box): number =>
    Math.max(0, -overlapX(box, column)) + Math.max(0, -overlapY(box, column));
  const nearest = (box: Box): number =>
    boxes.reduce((best, one, at) => (distance(box, one) < distance(box, boxes[best] ?? one) ? at : best), 0);
  const [ofImages, ofDrawings] = [Map.groupBy(images, nearest), Map.groupBy(drawings, nearest)];
  return columns.map((_, at) => ({ images: ofImages.get(at) ?? [], drawings: ofDrawings.get(at) ?? [] }));
}

function stylesOf(parts: readonly FoundPart[]): HeadingStyle[] {
  return parts.flatMap((part) => (part.kind === 'heading' ? [part.style] : []));
}

/** Joins a paragraph that continues in the next column, or after a figure, within a sentence. */
function joinDivided(parts: readonly FoundPart[]): FoundPart[] {
  const joined: FoundPart[] = [];
  let open: (FoundPart & { kind: 'text' }) | undefined;
  for (const part of parts) {
    if (part.kind === 'figure' || part.kind === 'running' || part.kind === 'note') {
      joined.push(part);
      continue;
    }
    const goesOn =
      part.kind === 'text' &&
      open !== undefined &&
      part.column !== open.column &&
      !/[.!?:]["'”’»)\]]*$/.test(open.block.text) &&
      /^[\p{Ll}\p{Nd}(]/u.test(part.block.text) &&
      Math.abs(part.block.size - open.block.size) < 0.05 * open.block.size &&
      open.block.lines.length + part.block.lines.length > 2;
    if (goesOn && open && part.kind === 'text') {
      open.block = makeBlock([...open.block.lines, ...part.block.lines], part.block.column);
      open.column = part.column;
      continue;
    }
    const copy = { ...part };
    joined.push(copy);
    open = copy.kind === 'text' ? copy : undefined;
  }
  return joined;
}

/** Maximum distance of a caption from its figure, in heights of its font. */
const NEAR = 3.5;

/** Moves the caption next to each figure into it. */
function attachCaptions(parts: readonly FoundPart[]): FoundPart[] {
  const taken = new Set<FoundPart>();
  const captioned = parts.map((part): FoundPart => {
    if (part.kind !== 'figure') return part;
    let best: { distance: number; part: FoundPart; block: TextBlock } | undefined;
    for (const other of parts) {
      if (other.kind !== 'text' || taken.has(other) || !CAPTIONED.test(other.block.text)) continue;
      const distance = distanceTo(part.box, other.block.box);
      if (distance < NEAR * other.block.size && distance < (best?.distance ?? Infinity))
        best = { distance, part: other, block: other.block };
    }
    if (!best) return part;
    taken.add(best.part);
    return { ...part, caption: best.block };
  });
  return captioned.filter((part) => !taken.has(part));
}

/** Vertical distance of a figure and the text below or above it; infinite beside it. */
function distanceTo(figure: Box, text: Box): number {
  if (overlapX(figure, text) < Math.min(widthOf(figure), widthOf(text)) * 0.3) return Infinity;
  return Math.max(0, -overlapY(figure, text));
}
