import type { PageBox, PageElement } from '../../../domain/documents/page.ts';
import { attachCaptions } from './captions.ts';
import { cleanText } from './clean-text.ts';
import { findParts, type FoundPart } from './find-parts.ts';
import { boxAround, type Box } from './geometry.ts';
import { headingLevel, headingTiers, usualLevel, type HeadingStyle } from './headings.ts';
import { listMarkdown } from './lists.ts';
import { markdownTable } from './markdown-table.ts';
import type { PageParts } from './page-parts.ts';
import { bodyStyle, countStyles, type LayoutProfile } from './profile.ts';
import { makeSegment, toRows } from './segments.ts';
import { makeBlock, type TextBlock } from './text-blocks.ts';

export interface LayoutOptions {
  /** Of the document; without one the page is judged by itself. */
  profile?: LayoutProfile | undefined;
  /** Sizes of fonts that differ by less than this part are the same: recognised text is measured roughly. */
  sizeTolerance?: number;
  /** The font size of a heading in points, for levels that are only known when all pages have been read. */
  fontSizeOf?: (heading: TextBlock) => number;
}

const SAME_SIZE = 0.04;

/** The elements of an upright page, in reading order. */
export function layOutPage(
  page: PageParts,
  { profile, sizeTolerance = SAME_SIZE, fontSizeOf }: LayoutOptions = {},
): PageElement[] {
  const body = profile?.body ?? bodyStyle(countStyles(page.runs));
  const found = findParts(page, { body, profile, sizeTolerance });
  const tiers = profile?.headings ?? headingTiers(stylesOf(found), sizeTolerance);
  const describeHeading = (block: TextBlock, style: HeadingStyle): PageElement['metadata'] => ({
    level: tiers.length > 0 ? headingLevel(style, tiers) : usualLevel(style, body),
    ...(fontSizeOf && { font_size: fontSizeOf(block) }),
  });
  return attachCaptions(joinDivided(found)).map((part) => present(part, describeHeading, page));
}

/** The styles of a page's headings, to learn the levels of a document from. */
export function headingStyles(page: PageParts, profile: LayoutProfile): HeadingStyle[] {
  return stylesOf(findParts(page, { body: profile.body, profile, sizeTolerance: SAME_SIZE }));
}

function stylesOf(parts: readonly FoundPart[]): HeadingStyle[] {
  return parts.flatMap((part) => (part.kind === 'heading' ? [part.style] : []));
}

/** A paragraph goes on in the next column, or after a figure, when a sentence does. */
function joinDivided(parts: readonly FoundPart[]): FoundPart[] {
  const joined: FoundPart[] = [];
  let open: (FoundPart & { kind: 'text' }) | undefined;
  for (const part of parts) {
    if (part.kind === 'figure' || part.kind === 'running') {
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

function present(
  part: FoundPart,
  describeHeading: (block: TextBlock, style: HeadingStyle) => PageElement['metadata'],
  page: PageParts,
): PageElement {
  const element = (
    type: PageElement['type'],
    content: string,
    box: Box,
    metadata: PageElement['metadata'] = {},
  ): PageElement => ({ type, content: cleanText(content), box: relativeBox(box, page), metadata });
  switch (part.kind) {
    case 'heading':
      return element('heading', part.block.text, part.block.box, describeHeading(part.block, part.style));
    case 'text':
      return element('paragraph', part.block.text, part.block.box);
    case 'list':
      return element('list', listMarkdown(part.items), boxAround(part.items.map(({ box }) => box)), {
        items: part.items.length,
      });
    case 'table': {
      const { rows, box } = part.table;
      const columns = Math.max(...rows.map((row) => row.length));
      return element('table', markdownTable(rows), box, { rows: rows.length, columns });
    }
    case 'pair': {
      const [key, value] = [cleanText(part.key), cleanText(part.value)];
      return element('key_value', `${key}: ${value}`, part.box, { key, value });
    }
    case 'figure': {
      const box = part.caption ? boxAround([part.box, part.caption.box]) : part.box;
      return element('figure', part.caption?.text ?? '', box);
    }
    case 'running': {
      const lines = toRows(part.segments).map((row) => makeSegment(row.flatMap(({ runs }) => runs)).text);
      return element('paragraph', lines.join('\n'), boxAround(part.segments), { role: part.role });
    }
  }
}

function relativeBox(box: Box, { width, height }: PageParts): PageBox {
  const part = (value: number, side: number): number =>
    Math.round(Math.min(1, Math.max(0, value / side)) * 10_000) / 10_000;
  const [x, y] = [part(box.x0, width), part(box.y0, height)];
  const [right, bottom] = [part(box.x1, width), part(box.y1, height)];
  const span = (from: number, to: number): number => Math.round((to - from) * 10_000) / 10_000;
  return { x, y, w: span(x, right), h: span(y, bottom) };
}
