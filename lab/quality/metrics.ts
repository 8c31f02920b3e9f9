import { type Extraction, textOfBlock, type TruthBlock } from './truth.ts';

/** Normalises text for comparison: white space, quotes and dashes have many equivalent forms. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[‘’‚`´]/gu, "'")
    .replaceAll(/[“”„«»]/gu, '"')
    .replaceAll(/[‐‑‒–—−]/gu, '-')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** The edit distance (insertions, deletions, substitutions) of the normalised texts, and the length of the true one. */
export function characterErrors(truth: string, found: string): { errors: number; characters: number } {
  const [a, b] = [[...normalise(truth)], [...normalise(found)]];
  let before = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  let now = new Uint32Array(b.length + 1);
  for (const [row, letter] of a.entries()) {
    now[0] = row + 1;
    for (let column = 0; column < b.length; column++) {
      const changed = (before[column] ?? 0) + (letter === b[column] ? 0 : 1);
      now[column + 1] = Math.min(changed, (before[column + 1] ?? 0) + 1, (now[column] ?? 0) + 1);
    }
    [before, now] = [now, before];
  }
  return { errors: before[b.length] ?? 0, characters: a.length };
}

/** Counts for precision and recall, which can be summed over documents. */
export interface Matches {
  matched: number;
  expected: number;
  found: number;
}

export const f1 = ({ matched, expected, found }: Matches): number =>
  expected + found === 0 ? 1 : (2 * matched) / (expected + found);

/** One character in ten may differ, as in text from OCR. */
const ALIKE = 0.1;

export function headingMatches(
  truth: readonly TruthBlock[],
  { headings }: Extraction,
): Matches & { levels: number } {
  const expected = truth.filter((block) => block.type === 'heading');
  const waiting = [...headings];
  const pairs: { expected: number; found: number }[] = [];
  for (const { text, level } of expected) {
    const at = waiting.findIndex((heading) => isAlike(text, heading.text));
    const [heading] = at < 0 ? [] : waiting.splice(at, 1);
    if (heading) pairs.push({ expected: level, found: heading.level });
  }
  // Programs differ in where they begin to count: the offset that suits most is theirs.
  const offsets = pairs.map((pair) => pair.found - pair.expected);
  const counts = [...Map.groupBy(offsets, (offset) => offset).values()].map(({ length }) => length);
  const levels = Math.max(0, ...counts);
  return { matched: pairs.length, expected: expected.length, found: headings.length, levels };
}

function isAlike(one: string, other: string): boolean {
  const [a, b] = [normalise(one), normalise(other)];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > a.length * ALIKE + 1) return false;
  const { errors, characters } = characterErrors(a, b);
  return errors <= characters * ALIKE;
}

/** Cells with the right text in the right row and column; each true table is compared with the most similar one. */
export function cellMatches(truth: readonly TruthBlock[], { tables }: Extraction): Matches {
  // Some programs add an empty header row to a table, and some leave out rows that are blank.
  const withText = (rows: readonly (readonly string[])[]): (readonly string[])[] =>
    rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const waiting = tables.map(withText);
  const total = { matched: 0, expected: 0, found: 0 };
  for (const block of truth) {
    if (block.type !== 'table') continue;
    const rows = withText(block.rows);
    const scores = waiting.map((table) => equalCells(rows, table));
    const best = scores.indexOf(Math.max(0, ...scores));
    const [table] = best < 0 ? [] : waiting.splice(best, 1);
    total.matched += table ? (scores[best] ?? 0) : 0;
    total.expected += filled(rows);
    total.found += table ? filled(table) : 0;
  }
  total.found += waiting.reduce((sum, table) => sum + filled(table), 0);
  return total;
}

const filled = (rows: readonly (readonly string[])[]): number =>
  rows.flat().filter((cell) => normalise(cell) !== '').length;

function equalCells(truth: readonly (readonly string[])[], found: readonly (readonly string[])[]): number {
  return truth
    .flatMap((row, y) =>
      row.map((cell, x) => ({ cell: normalise(cell), other: normalise(found[y]?.[x] ?? '') })),
    )
    .filter(({ cell, other }) => cell !== '' && isAlike(cell, other)).length;
}

/** Characters by which a block is located: enough to be unique, few enough to avoid recognition errors. */
const SIGNATURE = 18;

/**
 * Counts for Kendall's tau of the order in which a program wrote the true blocks: agreed / pairs is 1 for the same
 * order and -1 for the reverse. Blocks that cannot be found do not count here, but in the error rate.
 */
export function readingOrder(truth: readonly TruthBlock[], text: string): { agreed: number; pairs: number } {
  const found = normalise(text);
  const texts = truth.map((block) => normalise(textOfBlock(block)));
  const total = texts.reduce((sum, { length }) => sum + length + 1, 0);
  let before = 0;
  const positions = texts.flatMap((block) => {
    const at = positionOf(block, found, (before / total) * found.length);
    before += block.length + 1;
    return at >= 0 ? [at] : [];
  });
  let agreed = 0;
  let pairs = 0;
  for (const [index, one] of positions.entries()) {
    for (const other of positions.slice(index + 1)) {
      if (one === other) continue;
      pairs += 1;
      agreed += one < other ? 1 : -1;
    }
  }
  return { agreed, pairs };
}

/** The position of a block; among equal texts, the one nearest to its expected position. */
function positionOf(block: string, text: string, expected: number): number {
  for (let from = 0; from + Math.min(SIGNATURE, block.length) <= block.length && from < 200; from += 7) {
    const signature = block.slice(from, from + SIGNATURE);
    let best = -1;
    for (let at = text.indexOf(signature); at >= 0; at = text.indexOf(signature, at + 1))
      if (best < 0 || Math.abs(at - expected) < Math.abs(best - expected)) best = at;
    if (best >= 0) return Math.max(0, best - from);
  }
  return -1;
}
