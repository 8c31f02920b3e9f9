import { characterErrors } from './character-errors.ts';
import { normalise } from './normalise.ts';
import type { Extraction, TruthBlock } from '../truth.ts';

/** Counts from which precision and recall follow, over any number of documents. */
export interface Matches {
  matched: number;
  expected: number;
  found: number;
}

export const f1 = ({ matched, expected, found }: Matches): number =>
  expected + found === 0 ? 1 : (2 * matched) / (expected + found);

/** A character in ten may be wrong, as in a recognised heading. */
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
  // Programs differ in where they begin to count; the order of the levels is what matters.
  const ranks = (levels: readonly number[]) =>
    new Map([...new Set(levels)].toSorted((a, b) => a - b).map((level, rank) => [level, rank]));
  const [wanted, given] = [ranks(expected.map(({ level }) => level)), ranks(pairs.map(({ found }) => found))];
  const levels = pairs.filter((pair) => wanted.get(pair.expected) === given.get(pair.found)).length;
  return { matched: pairs.length, expected: expected.length, found: headings.length, levels };
}

function isAlike(one: string, other: string): boolean {
  const [a, b] = [normalise(one), normalise(other)];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > a.length * ALIKE + 1) return false;
  const { errors, characters } = characterErrors(a, b);
  return errors <= characters * ALIKE;
}

/** Cells with the right text in the right row and column; each true table is compared with the one most like it. */
export function cellMatches(truth: readonly TruthBlock[], { tables }: Extraction): Matches {
  // Some programs write an empty header above a table's own.
  const waiting = tables.map((table) => table.filter((row) => row.some((cell) => cell.trim() !== '')));
  const total = { matched: 0, expected: 0, found: 0 };
  for (const block of truth) {
    if (block.type !== 'table') continue;
    const scores = waiting.map((table) => equalCells(block.rows, table));
    const best = scores.indexOf(Math.max(0, ...scores));
    const [table] = best < 0 ? [] : waiting.splice(best, 1);
    total.matched += table ? (scores[best] ?? 0) : 0;
    total.expected += filled(block.rows);
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
