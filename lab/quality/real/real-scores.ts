import {
  cellMatches,
  characterErrors,
  f1,
  headingMatches,
  normalise,
  readingOrder,
  type Matches,
} from '../metrics.ts';
import { type Extraction, textOfTruth, type TruthBlock } from '../truth.ts';

/** What can be counted of a document of hundreds of pages. */
export interface RealScore {
  words: Matches;
  headings: Matches;
  levels: number;
  cells: Matches;
  /** Pairs of neighbouring cells in tables, the measure of ICDAR 2013. */
  adjacency: Matches;
  code: Matches;
  /** Of scans; the edit distance takes too long for whole manuals. */
  characters?: { errors: number; characters: number };
  agreed: number;
  pairs: number;
}

/** Order is compared of blocks that are long enough to be told apart. */
const TOLD_APART = 40;
/** The number of a section, which one of two editions of a manual may leave out. */
const NUMBERING =
  /^(?:(?:chapter|appendix|part|chapitre|kapitel|capítulo|annexe|anhang|apéndice)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.:]?\s+/iu;

export function scoreManual(truth: readonly TruthBlock[], extraction: Extraction): RealScore {
  const bare = <T extends { text: string }>(heading: T): T => ({
    ...heading,
    text: normalise(heading.text).replace(NUMBERING, '').toLowerCase(),
  });
  const expected = truth.map((block) => (block.type === 'heading' ? bare(block) : block));
  const { levels, ...headings } = headingMatches(expected, {
    ...extraction,
    headings: extraction.headings.map(bare),
  });
  const longer = truth.filter((block) => block.type !== 'table' && textOfTruth([block]).length >= TOLD_APART);
  return {
    words: bagMatches(wordsOf(textOfTruth(truth)), wordsOf(extraction.text)),
    headings,
    levels,
    cells: better(cellMatches(truth, extraction), cellMatches(truth.map(unmerged), extraction)),
    adjacency: better(
      bagMatches(truth.flatMap(neighbours), extraction.tables.flatMap(neighboursIn)),
      bagMatches(truth.map(unmerged).flatMap(neighbours), extraction.tables.flatMap(neighboursIn)),
    ),
    code: bagMatches(
      truth.flatMap((block) => (block.type === 'code' ? linesOf(block.text) : [])),
      (extraction.code ?? []).flatMap(linesOf),
    ),
    ...readingOrder(longer, extraction.text),
  };
}

export function addScores(scores: readonly RealScore[]): RealScore {
  const add = (of: (score: RealScore) => Matches): Matches => ({
    matched: total(scores, (score) => of(score).matched),
    expected: total(scores, (score) => of(score).expected),
    found: total(scores, (score) => of(score).found),
  });
  return {
    words: add(({ words }) => words),
    headings: add(({ headings }) => headings),
    levels: total(scores, ({ levels }) => levels),
    cells: add(({ cells }) => cells),
    adjacency: add(({ adjacency }) => adjacency),
    code: add(({ code }) => code),
    ...(scores.every(({ characters }) => characters) && {
      characters: {
        errors: total(scores, ({ characters }) => characters?.errors ?? 0),
        characters: total(scores, ({ characters }) => characters?.characters ?? 0),
      },
    }),
    agreed: total(scores, ({ agreed }) => agreed),
    pairs: total(scores, ({ pairs }) => pairs),
  };
}

/** As of any document, and the edit distance of its text. */
export const scoreScan = (truth: readonly TruthBlock[], extraction: Extraction): RealScore => ({
  ...scoreManual(truth, extraction),
  characters: characterErrors(textOfTruth(truth), extraction.text),
});

/** A program may repeat the value of a merged cell, or say it once. */
const better = (one: Matches, other: Matches): Matches => (f1(other) > f1(one) ? other : one);
const unmerged = (block: TruthBlock): TruthBlock =>
  block.type === 'table' ? { ...block, rows: block.unmerged ?? block.rows } : block;

const neighbours = (block: TruthBlock): string[] => (block.type === 'table' ? neighboursIn(block.rows) : []);

/** Each cell with the next one to its right and below that is not blank; copies of a merged cell are one. */
function neighboursIn(rows: readonly (readonly string[])[]): string[] {
  const widest = Math.max(0, ...rows.map(({ length }) => length));
  const columns = Array.from({ length: widest }, (_, x) => rows.map((row) => row[x] ?? ''));
  return [...pairsIn(rows, 'right'), ...pairsIn(columns, 'below')];
}

function pairsIn(lines: readonly (readonly string[])[], direction: string): string[] {
  const pairs = lines.flatMap((line) => {
    const cells = line.map((cell) => normalise(cell).replaceAll(' ', '')).filter((cell) => cell !== '');
    return cells.slice(1).map((cell, at) => [cells[at] ?? '', cell] as const);
  });
  return pairs.flatMap(([one, other]) => (one === other ? [] : [`${one} ${direction} ${other}`]));
}

/** Worst first, by the mean of what is scored. */
export const meanOf = (score: RealScore): number => {
  const parts = [f1(score.words), orderOf(score), f1(score.headings), f1(score.cells), f1(score.code)];
  return parts.reduce((sum, part) => sum + part, 0) / parts.length;
};

export const orderOf = ({ agreed, pairs }: RealScore): number => (pairs === 0 ? 1 : agreed / pairs);

const total = (scores: readonly RealScore[], of: (score: RealScore) => number): number =>
  scores.reduce((sum, score) => sum + of(score), 0);

export const wordsOf = (text: string): string[] =>
  normalise(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Spaces are part of the page and not of the code: a font's advance decides how many are seen. */
const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => normalise(line).replaceAll(/\s+/g, '') || []);

export function bagMatches(expected: readonly string[], found: readonly string[]): Matches {
  const left = new Map<string, number>();
  for (const one of found) left.set(one, (left.get(one) ?? 0) + 1);
  let matched = 0;
  for (const one of expected) {
    const count = left.get(one) ?? 0;
    if (count === 0) continue;
    matched += 1;
    left.set(one, count - 1);
  }
  return { matched, expected: expected.length, found: found.length };
}
