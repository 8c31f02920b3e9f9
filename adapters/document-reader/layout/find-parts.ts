import { alignedTables } from './aligned-tables.ts';
import { captionedDrawings } from './drawings.ts';
import { figureBoxes } from './figures.ts';
import type { Box } from './geometry.ts';
import { headingOf, isContentsPage, joinHeadings } from './heading-blocks.ts';
import type { BodyStyle, HeadingStyle } from './headings.ts';
import { keyValues } from './key-values.ts';
import { isContentsLine, listMarker } from './list-marker.ts';
import { isList } from './lists.ts';
import type { Line, PageParts, Segment } from './page-parts.ts';
import { createTitleFinder, type TitleFinder } from './outline-titles.ts';
import type { LayoutProfile } from './profile.ts';
import { readingOrder, type Block } from './reading-order.ts';
import { ruledTables, type TableGrid } from './ruled-tables.ts';
import { findRunningLines, type RunningRole } from './running-lines.ts';
import { makeSegment, toSegments } from './segments.ts';
import { textBlocks, type TextBlock } from './text-blocks.ts';

/** A part of a page, before conversion to an element. */
export type FoundPart =
  | { kind: 'text'; block: TextBlock; column: number }
  | { kind: 'heading'; block: TextBlock; style: HeadingStyle }
  | { kind: 'list'; items: TextBlock[] }
  | { kind: 'table'; table: TableGrid }
  | { kind: 'code'; lines: readonly Segment[] }
  | { kind: 'pair'; key: string; value: string; box: Box }
  | { kind: 'figure'; box: Box; caption?: TextBlock }
  | { kind: 'running'; role: RunningRole; segments: Segment[] };

export interface FindOptions {
  body: BodyStyle;
  profile: LayoutProfile | undefined;
  pageNumber: number;
  sizeTolerance: number;
}

/** What the whole page says of its lines. */
interface PageFacts extends FindOptions {
  isContents: boolean;
  findTitles: TitleFinder['find'];
  partRunIn: TitleFinder['partRunIn'];
}

/** In reading order, headers first and footers last. */
export function findParts(parts: PageParts, options: FindOptions): FoundPart[] {
  const ruled = ruledTables(parts.rules, parts.runs);
  const used = new Set(ruled.flatMap(({ used }) => [...used]));
  const segments = toSegments(parts.runs.filter((run) => !used.has(run)));
  const page = { number: options.pageNumber, height: parts.height };
  const running = findRunningLines(segments, options.profile ?? { running: [] }, options.body, page);
  const tables = new Map(ruled.map(({ table }, index) => [`table ${index}`, table]));
  const blocks: Block[] = [
    ...[...tables].map(([block, { box }]) => ({ block, ...box })),
    ...figureBoxes(parts, captionedDrawings(parts.drawings, segments)).map((box, index) => ({
      block: `figure ${index}`,
      ...box,
    })),
  ];
  const titles = createTitleFinder(parts.outline ?? [], segments);
  const facts = {
    ...options,
    isContents: isContentsPage(segments),
    findTitles: titles.find,
    partRunIn: titles.partRunIn,
  };
  const flows = readingOrder(
    segments.filter((segment) => !running.has(segment)),
    blocks,
  );
  const inside = flows.flatMap((flow, column): FoundPart[] => {
    if (flow.kind === 'lines') return findInColumn(flow.lines, column, facts);
    const table = tables.get(flow.block);
    return [table ? { kind: 'table', table } : { kind: 'figure', box: flow.box }];
  });
  const linesOf = (role: RunningRole): FoundPart[] => {
    const segments = [...running].filter(([, given]) => given === role).map(([segment]) => segment);
    return segments.length > 0 ? [{ kind: 'running', role, segments }] : [];
  };
  return [...linesOf('page_header'), ...inside, ...linesOf('page_footer')];
}

function findInColumn(lines: readonly Line[], column: number, options: PageFacts): FoundPart[] {
  const found: FoundPart[] = [];
  let text: Segment[] = [];
  const flush = (): void => {
    found.push(...findInText(text, column, options));
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

function findInText(whole: readonly Segment[], column: number, page: PageFacts): FoundPart[] {
  const found: FoundPart[] = [];
  const lines = whole.flatMap(page.partRunIn);
  const titles = page.findTitles(lines);
  let before: Segment | undefined;
  let item: TextBlock | undefined;
  for (const block of textBlocks(lines, page.sizeTolerance, (line) => titles.get(line))) {
    const [first] = block.lines;
    const style = isNextItem(block, item)
      ? undefined
      : headingOf(block, { ...page, before, title: first && titles.get(first) });
    const marked = listMarker(block.text) !== undefined || isContentsLine(block.text);
    const last = found.at(-1);
    if (style) found.push({ kind: 'heading', block, style });
    else if (marked && last?.kind === 'list' && !beginsList(block, last.items)) last.items.push(block);
    else if (marked) found.push({ kind: 'list', items: [block] });
    else found.push({ kind: 'text', block, column });
    before = block.lines.at(-1);
    if (!style && marked) item = block;
  }
  return joinHeadings(found).flatMap((part): FoundPart[] =>
    part.kind !== 'list' || isList(part.items)
      ? [part]
      : part.items.map((block) => ({ kind: 'text', block, column })),
  );
}
