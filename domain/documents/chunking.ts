import {
  type Chunk,
  type ChunkRole,
  type ChunkType,
  type ElementPlace,
  splitLines,
  splitParts,
  splitTable,
  splitText,
  type CountTokens,
  withoutBlankEnds,
} from './split-element.ts';
import { findNavigation } from './navigation.ts';
import {
  type ElementContent,
  type List,
  plainText,
  isSameLine,
  pageLine,
  type PageLine,
  type PageContent,
} from 'darkroom-reader/document';
import { itemLine, markdownOf, tableLines, withoutLinks } from './markdown.ts';

/** Limits of a chunk, in tokens. */
export interface ChunkLimits {
  /** A shorter section is joined with the next one. */
  least: number;
  /** Paragraphs are gathered up to this size. */
  target: number;
  /** Tables, lists and code are kept whole up to this size, and no chunk is longer. */
  most: number;
}

/** Short enough for one vector to represent its topic, long enough to be understood alone. */
export const CHUNK_LIMITS: ChunkLimits = { least: 60, target: 300, most: 600 };

/** An element, or a part of one, in a chunk. */
interface Piece {
  text: string;
  tokens: number;
  place: ElementPlace;
  kind: 'heading' | 'code' | Exclude<ChunkType, 'mixed'>;
  /** The headings above it, including itself if it is one; undefined for page headers and footers. */
  path: string[] | undefined;
  /** Undefined for page headers and footers. */
  role: ChunkRole | undefined;
}

/**
 * Divides the text of a document into chunks that follow its headings. A heading begins a chunk, unless the one before
 * it is still short. Paragraphs are gathered up to the target; a longer one is split between sentences. Tables,
 * lists and code stay whole up to the limit; above it they are split between rows, items or lines, and each part of a
 * table repeats its header rows. Code counts as text. Contents and indexes are in chunks of their own, and their lines are
 * no headings of what follows.
 *
 * Chunks do not overlap: `headingPath` holds the context above a chunk. Apart from repeated header rows, the chunks
 * contain all text of the elements exactly once, in order, except that a line of page headers or footers is kept only
 * at its first occurrence.
 *
 * @param pages in order
 */
export function chunkPages(
  pages: readonly PageContent[],
  countTokens: CountTokens,
  limits: ChunkLimits = CHUNK_LIMITS,
): Chunk[] {
  const chunks: Chunk[] = [];
  let current: Piece[] = [];
  let tokens = 0;

  const flush = (): void => {
    if (current.length > 0) chunks.push(toChunk(current, countTokens));
    current = [];
    tokens = 0;
  };
  for (const piece of piecesOf(pages, countTokens, limits)) {
    const whole = piece.kind === 'table' || piece.kind === 'list' || piece.kind === 'code';
    const beginsSection = piece.kind === 'heading' && !current.every(({ kind }) => kind === 'heading');
    // A heading stays with the following text, however long that is.
    const onlyHeadings = current.every(({ kind }) => kind === 'heading');
    const limit = onlyHeadings || (whole && tokens < limits.least) ? limits.most : limits.target;
    const role = roleOf(current);
    const otherRole = role !== undefined && piece.role !== undefined && piece.role !== role;
    if (otherRole || (beginsSection ? tokens >= limits.least : tokens + piece.tokens > limit)) flush();
    current.push(piece);
    tokens += piece.tokens;
  }
  flush();
  return chunks;
}

/** Whether an element is content of a page rather than a running header or footer. */
export function isBody({ role }: Pick<ElementContent, 'role'>): boolean {
  return role !== 'page_header' && role !== 'page_footer';
}

/** The prose of a document, by element: the evidence of its language. */
export function* proseOf(pages: readonly PageContent[]): Generator<string> {
  for (const element of pages.flatMap(({ elements }) => elements))
    if ((element.type === 'paragraph' || element.type === 'list') && isBody(element))
      yield plainText(element);
}

/** All text of a page, including its header and footer, without the targets of links. */
export function pageText({ elements }: Pick<PageContent, 'elements'>): string {
  return elements
    .map((element) => markdownOf(withoutLinks(element)))
    .filter((content) => content.trim() !== '')
    .join('\n\n');
}

function* piecesOf(
  pages: readonly PageContent[],
  countTokens: CountTokens,
  limits: ChunkLimits,
): Generator<Piece> {
  let open: { level: number; title: string }[] = [];
  const navigation = findNavigation(pages);
  const newLines = createLineFilter();
  for (const { pageNumber, elements } of pages) {
    for (const [position, given] of elements.entries()) {
      const element = withoutLinks(given);
      const place = [pageNumber, position] as const;
      if (!isBody(element)) {
        const text = newLines(textOf(element), pageNumber).join('\n');
        const none = { kind: 'text', path: undefined, role: undefined } as const;
        for (const part of text === '' ? [] : splitText(text, countTokens, limits.target))
          yield { text: part, tokens: countTokens(part), place, ...none };
        continue;
      }
      const parts = divide(element, countTokens, limits).filter((part) => part !== '');
      if (parts.length === 0) continue;
      const role = navigation.get(given) ?? 'body';
      const kind = kindOf(element, role);
      if (element.type === 'heading' && kind === 'heading') {
        const { level } = element;
        open = [...open.filter((above) => above.level < level), { level, title: textOf(element) }];
      }
      const path = role === 'body' ? open.map(({ title }) => title) : [];
      for (const text of parts) yield { text, tokens: countTokens(text), place, kind, path, role };
    }
  }
}

/** The text of an element without blank ends; the first line of code may be indented. */
const textOf = (element: ElementContent): string =>
  element.type === 'code' ? withoutBlankEnds(element.content) : markdownOf(element).trim();

function kindOf({ type }: ElementContent, role: ChunkRole): Piece['kind'] {
  if (type === 'table' || type === 'list' || type === 'code') return type;
  return type === 'heading' && role === 'body' ? type : 'text';
}

/** A filter that drops lines it has already seen, also with another page's number. */
function createLineFilter(): (content: string, pageNumber: number) => string[] {
  const known = new Map<string, PageLine[]>();
  return (content, pageNumber) =>
    content.split('\n').filter((text) => {
      const line = pageLine(text.trim(), pageNumber);
      const alike = known.get(line.words) ?? [];
      if (alike.some((other) => isSameLine(other, line))) return false;
      known.set(line.words, [...alike, line]);
      return true;
    });
}

function divide(element: ElementContent, countTokens: CountTokens, { target, most }: ChunkLimits): string[] {
  switch (element.type) {
    case 'table':
      return splitTable(tableLines(element), countTokens, most);
    case 'list':
      return splitParts(itemsOf(element), countTokens, most);
    case 'code':
      return splitLines(textOf(element), countTokens, most);
    default:
      return splitText(textOf(element), countTokens, target);
  }
}

/** The items of a list as lines, each with those of the lists in it. */
function itemsOf({ items }: List): string[] {
  const whole: string[][] = [];
  for (const item of items) {
    const last = whole.at(-1);
    if (last && item.depth > 0) last.push(itemLine(item));
    else whole.push([itemLine(item)]);
  }
  return whole.map((lines) => lines.join('\n'));
}

function roleOf(pieces: readonly Piece[]): ChunkRole | undefined {
  return pieces.find(({ role }) => role !== undefined)?.role;
}

function toChunk(pieces: readonly Piece[], countTokens: CountTokens): Chunk {
  const content = pieces.map(({ text }) => text).join('\n\n');
  const kinds = new Set(
    pieces.flatMap(({ kind }) => (kind === 'heading' ? [] : [kind === 'code' ? 'text' : kind])),
  );
  const [only = 'text'] = kinds;
  return {
    content,
    pageNumbers: [...new Set(pieces.map(({ place: [page] }) => page))],
    headingPath: pieces.find(({ path }) => path !== undefined)?.path ?? [],
    tokenCount: countTokens(content),
    type: kinds.size > 1 ? 'mixed' : only,
    role: roleOf(pieces) ?? 'body',
    elements: pieces.map(({ place }) => place).filter((place, at, all) => place !== all[at - 1]),
  };
}
