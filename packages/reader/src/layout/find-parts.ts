import { alignedTables } from './aligned-tables.ts';
import { bandedTables } from './banded-tables.ts';
import { captionedDrawings } from './drawings.ts';
import { labelsIn, withAxesAndLabels } from './figure-labels.ts';
import { figureBoxes } from './figures.ts';
import type { Box } from './geometry.ts';
import { createContentsFinder, headingOf, joinHeadings } from './heading-blocks.ts';
import { isLarge, numberDepth, type BodyStyle, type HeadingStyle } from './headings.ts';
import { keyValues } from './key-values.ts';
import { isContentsLine, listMarker } from './list-marker.ts';
import { takeFootnotes } from './footnotes.ts';
import { findListings } from './listings.ts';
import { isDividedList, isList } from './lists.ts';
import type { Line, PageParts, Segment, TableGrid } from './page-parts.ts';
import type { TitleFinder } from './outline-titles.ts';
import type { LayoutProfile } from './profile.ts';
import { readingOrder } from './reading-order.ts';
import { ruledTables } from './ruled-tables.ts';
import { findRunningLines, type RunningRole } from './running-lines.ts';
import { makeSegment, toPieces, toSegments } from './segments.ts';
import { createTaggedTitles, taggedTables } from './tagged-parts.ts';
import { measureColumn, textBlocks, type TextBlock, type TextColumn } from './text-blocks.ts';

/** A part of a page, before conversion to an element. */
export type FoundPart =
  | { kind: 'text'; block: TextBlock; column: number }
  | { kind: 'heading'; block: TextBlock; style: HeadingStyle }
  | { kind: 'list'; items: TextBlock[] }
  | { kind: 'table'; table: TableGrid }
  | { kind: 'note'; block: TextBlock }
  | { kind: 'code'; lines: readonly Segment[] }
  | { kind: 'pair'; key: string; value: string; box: Box }
  | { kind: 'figure'; box: Box; labels?: readonly Segment[]; caption?: TextBlock }
  | { kind: 'running'; role: RunningRole; segments: Segment[] };

export interface FindOptions {
  body: BodyStyle;
  profile: LayoutProfile | undefined;
  pageNumber: number;
  sizeTolerance: number;
  /** Of the whole page, of which the parts may be a column. */
  titles: TitleFinder;
}

/** What the whole page says of its lines. */
interface PageFacts extends FindOptions {
  isOfContents: (block: TextBlock) => boolean;
  findTitles: TitleFinder['find'];
  partRunIn: TitleFinder['partRunIn'];
  isOfNoTitle: (line: Segment) => boolean;
}

/** In reading order, headers first; notes and footers last. */
export function findParts(parts: PageParts, options: FindOptions): FoundPart[] {
  const tagged = taggedTables(parts.tags ?? [], parts.runs);
  const inTagged = new Set(tagged.flatMap(({ used }) => [...used]));
  // A frame around a page may enclose its titles.
  const untagged = parts.runs.filter((run) => !inTagged.has(run) && !parts.tags?.[run.tag ?? -1]?.level);
  const grids = [...tagged, ...ruledTables(parts.rules, untagged)];
  const inGrids = new Set(grids.flatMap(({ used }) => [...used]));
  const others = untagged.filter((run) => !inGrids.has(run));
  const ruled = [...grids, ...bandedTables(parts.rules, others)];
  const used = new Set(ruled.flatMap(({ used }) => [...used]));
  const runs = parts.runs.filter((run) => !used.has(run));
  const segments = toPieces(runs);
  const whole = toSegments(runs);
  const page = { number: options.pageNumber, height: parts.height };
  const running = findRunningLines(segments, options.profile ?? { running: [] }, options.body, page);
  const tables = new Map(ruled.map(({ table }, index) => [`table ${index}`, table]));
  const text = segments.filter((segment) => !running.has(segment));
  const figures = findFigures(parts, text, options.body);
  const labels = new Set([...figures.values()].flatMap((figure) => figure.labels));
  const { titles } = options;
  const taggedTitles = createTaggedTitles(parts.tags ?? []);
  const facts = {
    ...options,
    isOfContents: createContentsFinder(whole),
    findTitles: (lines: readonly Segment[]) => new Map([...titles.find(lines), ...taggedTitles.find(lines)]),
    partRunIn: titles.partRunIn,
    isOfNoTitle: taggedTitles.isOfNone,
  };
  const flows = readingOrder(
    text.filter((segment) => !labels.has(segment)),
    [
      ...[...tables].map(([block, { box }]) => ({ block, ...box })),
      ...[...figures].map(([block, { box }]) => ({ block, ...box })),
    ],
  );
  const notes: FoundPart[] = [];
  const inside = flows.flatMap((flow, column): FoundPart[] => {
    if (flow.kind === 'lines') {
      const found = takeFootnotes(flow.lines, options.body, parts.height);
      notes.push(...found.notes.map((block): FoundPart => ({ kind: 'note', block })));
      return findInColumn(found.lines, column, facts);
    }
    const table = tables.get(flow.block);
    if (table) return [{ kind: 'table', table }];
    return [{ kind: 'figure', box: flow.box, labels: figures.get(flow.block)?.labels ?? [] }];
  });
  const linesOf = (role: RunningRole): FoundPart[] => {
    const segments = [...running].filter(([, given]) => given === role).map(([segment]) => segment);
    return segments.length > 0 ? [{ kind: 'running', role, segments }] : [];
  };
  return [...linesOf('page_header'), ...inside, ...notes, ...linesOf('page_footer')];
}

/** The figures of a page with the labels that are part of them. */
function findFigures(parts: PageParts, text: readonly Segment[], { size }: BodyStyle) {
  const drawings = parts.drawings.map((drawing) => withAxesAndLabels(drawing, parts.rules, text, size));
  const boxes = figureBoxes(parts, captionedDrawings(drawings, text));
  return new Map<string, { box: Box; labels: Segment[] }>(
    boxes.map((box, index) => [`figure ${index}`, { box, labels: labelsIn(box, text, size) }]),
  );
}

function findInColumn(lines: readonly Line[], column: number, options: PageFacts): FoundPart[] {
  const measures = measureColumn(lines.map(wholeLine));
  const found = findListings(lines, options.body, measures.leading).flatMap((part): FoundPart[] =>
    part.kind === 'code' ? [part] : findOutsideListings(part.lines, column, measures, options),
  );
  const lists = found.flatMap((part) => (part.kind === 'list' ? [part.items] : []));
  return found.flatMap((part): FoundPart[] =>
    part.kind !== 'list' || isList(part.items) || isDividedList(part.items, lists)
      ? [part]
      : part.items.map((block) => ({ kind: 'text', block, column })),
  );
}

function findOutsideListings(
  lines: readonly Line[],
  column: number,
  measures: TextColumn,
  options: PageFacts,
): FoundPart[] {
  const found: FoundPart[] = [];
  let text: Segment[] = [];
  const flush = (): void => {
    found.push(...findInText(text, column, measures, options));
    text = [];
  };
  for (const part of keyValues(lines)) {
    if (part.kind === 'pair') {
      flush();
      found.push({ ...part.pair, kind: 'pair' });
      continue;
    }
    for (const one of alignedTables(part.lines)) {
      if (one.kind === 'table') {
        flush();
        found.push(one);
      } else text.push(wholeLine(one.line));
    }
  }
  flush();
  return found;
}

function wholeLine(line: Line): Segment {
  const [only] = line;
  return only && line.length === 1 ? only : makeSegment(line.flatMap(({ runs }) => runs));
}

/** Whether an item has a different kind of marker than the items at its indent. */
function beginsList(block: TextBlock, items: readonly TextBlock[]): boolean {
  const [first] = items;
  const [marker, other] = [listMarker(block.text), first && listMarker(first.text)];
  if (!first || !marker || !other || marker.ordered === other.ordered) return false;
  const shift = block.rightToLeft ? first.box.x1 - block.box.x1 : block.box.x0 - first.box.x0;
  return shift < block.size * 0.6;
}

/** Whether a block counts on from an item of a list: in bold, it would be a heading. */
function isNextItem(block: TextBlock, item: TextBlock | undefined): boolean {
  const [own, last] = [listMarker(block.text), item && listMarker(item.text)];
  if (!item || own?.ordered !== true || last?.ordered !== true) return false;
  return (
    Number(own.label) === Number(last.label) + 1 && Math.abs(block.box.x0 - item.box.x0) < block.size * 0.6
  );
}

/** Whether nothing but its number would make a block a title. */
const isNumberedText = ({ text, bold, size, lines }: TextBlock, body: BodyStyle): boolean =>
  numberDepth(text) > 0 && !bold && !isLarge(size / body.size) && !lines.every(({ italic }) => italic);

/** More titles than this do not follow each other without text: they are contents without numbers of pages. */
const MOST_IN_A_ROW = 2;

/** The blocks that are one of many with a number, below each other. */
function numberedInRow(blocks: readonly TextBlock[], body: BodyStyle): ReadonlySet<TextBlock> {
  const many = new Set<TextBlock>();
  let row: TextBlock[] = [];
  for (const block of [...blocks, undefined]) {
    if (block && isNumberedText(block, body)) row.push(block);
    else {
      if (row.length > MOST_IN_A_ROW) row.forEach((one) => many.add(one));
      row = [];
    }
  }
  return many;
}

function findInText(
  whole: readonly Segment[],
  column: number,
  measures: TextColumn,
  page: PageFacts,
): FoundPart[] {
  const found: FoundPart[] = [];
  const lines = whole.flatMap(page.partRunIn);
  const titles = page.findTitles(lines);
  let before: Segment | undefined;
  let item: TextBlock | undefined;
  const blocks = textBlocks(lines, {
    column: measures,
    sizeTolerance: page.sizeTolerance,
    titleOf: (line) => titles.get(line),
  });
  const listed = numberedInRow(blocks, page.body);
  for (const block of blocks) {
    const [first] = block.lines;
    const title = first && titles.get(first);
    const isNone =
      isNextItem(block, item) || (listed.has(block) && !title) || block.lines.every(page.isOfNoTitle);
    const style = isNone ? undefined : headingOf(block, { ...page, before, title });
    const marked = listMarker(block.text) !== undefined || isContentsLine(block.text);
    const last = found.at(-1);
    if (style) found.push({ kind: 'heading', block, style });
    else if (marked && last?.kind === 'list' && !beginsList(block, last.items)) last.items.push(block);
    else if (marked) found.push({ kind: 'list', items: [block] });
    else found.push({ kind: 'text', block, column });
    before = block.lines.at(-1);
    if (!style && marked) item = block;
  }
  return joinHeadings(found);
}
