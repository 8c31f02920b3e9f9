import { lengthOf } from '../document/element.ts';
import type { PageBox, PageElement } from '../document/page.ts';
import { relativeBox } from './geometry.ts';
import type { PageParts } from './page-parts.ts';
import { toSegments } from './segments.ts';

/** How much each sign of a wrong layout counts, if the whole page shows it. */
const WEIGHTS = { scattered: 0.6, parted: 0.6, unruled: 0.5, overlapping: 0.8 } as const;
/** A paragraph of fewer words may be a cell of a table, or a label of a drawing. */
const FEW_WORDS = 3;
/** Elements that share more than this of the smaller one lie across each other. */
const OVERLAP = 0.15;
/** Pages of more elements are not examined: each would be compared with each. */
const MOST_ELEMENTS = 400;
/** Half the height that a rule without height has, relative to the page. */
const THIN = 0.001;

/**
 * How sure the rules are of the layout of a page, from 0 to 1. It falls with the share of elements that are a word or
 * two, of lines that a wide gap parts within a paragraph, of the text in tables without rules, and of the text in
 * elements that lie across each other: columns that were not told apart. A page without text is certain.
 *
 * @param elements of the upright page
 */
export function layoutConfidence(
  elements: readonly PageElement[],
  page: Pick<PageParts, 'runs' | 'rules' | 'width' | 'height'>,
): number {
  const rules = page.rules.map((rule) => relativeBox(rule, page));
  const body = elements.filter(({ type, role }) => type !== 'figure' && role === undefined);
  if (body.length === 0) return 1;
  const letters = (some: readonly PageElement[]): number =>
    some.reduce((sum, element) => sum + lengthOf(element), 0);
  const scattered = body.filter(
    (element) => element.type === 'paragraph' && element.content.split(' ', FEW_WORDS).length < FEW_WORDS,
  );
  const unruled = body.filter(
    ({ type, box }) =>
      type === 'table' && rules.filter((rule) => sharedArea(withHeight(rule), box) > 0).length < 2,
  );
  const across =
    body.length > MOST_ELEMENTS ? body : body.filter((one) => body.some((other) => liesAcross(one, other)));
  const lines = toSegments(page.runs).map((line) => relativeBox(line, page));
  const parted = partedLines(lines, body);
  const confidence =
    (1 - (WEIGHTS.parted * parted) / Math.max(1, lines.length)) *
    (1 - (WEIGHTS.scattered * scattered.length) / body.length) *
    (1 - (WEIGHTS.unruled * letters(unruled)) / letters(body)) *
    (1 - (WEIGHTS.overlapping * letters(across)) / letters(body));
  return Math.round(confidence * 100) / 100;
}

/**
 * How many lines of paragraphs have another beside them in the same paragraph: it may be a row of cells.
 *
 * @param lines from top to bottom, and within a row from left to right
 */
function partedLines(lines: readonly PageBox[], body: readonly PageElement[]): number {
  const paragraphs = body.filter(({ type }) => type === 'paragraph').slice(0, MOST_ELEMENTS);
  const parted = new Set<PageBox>();
  for (const [at, next] of lines.entries()) {
    const line = lines[at - 1];
    if (!line) continue;
    const beside = Math.min(line.y + line.h, next.y + next.h) - Math.max(line.y, next.y);
    if (beside <= Math.min(line.h, next.h) / 2) continue;
    if (paragraphs.some(({ box }) => sharedArea(line, box) > 0 && sharedArea(next, box) > 0))
      parted.add(line).add(next);
  }
  return parted.size;
}

function liesAcross(one: PageElement, other: PageElement): boolean {
  if (one === other) return false;
  const smaller = Math.min(one.box.w * one.box.h, other.box.w * other.box.h);
  return sharedArea(one.box, other.box) > OVERLAP * smaller;
}

function sharedArea(one: PageBox, other: PageBox): number {
  const across = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
}

const withHeight = ({ x, y, w, h }: PageBox): PageBox => ({
  x: x - THIN,
  y: y - THIN,
  w: w + 2 * THIN,
  h: h + 2 * THIN,
});
