import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';
import { pageOf, run } from '../../support/text-runs.ts';
import { listed } from '../../support/elements.ts';

const LEFT = ['one', 'two', 'six', 'ten', 'cat', 'bog', 'fin', 'nib'];
const RIGHT = ['red', 'sky', 'sea', 'ice', 'fog', 'dew', 'sun', 'mud'];
const WIDTH = 200;
/** A line of 40 letters that fills its column. */
const line = (word: string, x: number, baseline: number): Run =>
  run(`${word} and the long tale of it all by the s`.padEnd(40, 'a'), x, baseline);
const column = (words: readonly string[], x: number, top: number, step = 12): Run[] =>
  words.map((word, index) => line(word, x, top + index * step));
/** Where words stand in what was read. */
const orderOf = (runs: readonly Run[], words: readonly string[]): number[] => {
  const text = listed(layOutPage(pageOf(runs))).join('\n');
  return words.map((word) => text.search(new RegExp(`\\b${word}\\b`)));
};
function assertOrder(runs: readonly Run[], words: readonly string[]): void {
  const order = orderOf(runs, words);
  assert.ok(!order.includes(-1), order.join());
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
}

for (const gutter of [0.6, 0.8, 1, 1.2, 2])
  for (const offset of [0, 3, 6])
    test(`two columns are read apart, ${gutter} em between them, ${offset} points higher`, () => {
      assertOrder(
        [...column(LEFT, 60, 100 + offset), ...column(RIGHT, 60 + WIDTH + gutter * 10, 100)],
        [...LEFT, ...RIGHT],
      );
    });

test('a page number in the gutter, and a line that reaches into it, leave the columns apart', () => {
  const runs = [...column(LEFT, 60, 100), ...column(RIGHT, 272, 100), run('7', 263.5, 300)];
  const [first] = runs;
  assert.ok(first);
  first.x1 += 8;
  assertOrder(runs, [...LEFT, ...RIGHT, '7']);
});

test('headings of neighbouring columns stay apart, though their spaces are wider than the gutter', () => {
  const heading = (text: string, x: number) => ({
    ...run(text, x, 196, { size: 16, bold: true }),
    x1: x + WIDTH,
  });
  const below = ['elm', 'oak', 'ash'];
  const beside = ['ant', 'bee', 'fly'];
  assertOrder(
    [
      ...column(LEFT, 60, 100),
      ...column(RIGHT, 266, 100),
      heading('Trees of the wood', 60),
      heading('Beasts of the field', 266),
      ...column(below, 60, 216),
      ...column(beside, 266, 216),
    ],
    [...LEFT, 'Trees', ...below, ...RIGHT, 'Beasts', ...beside],
  );
});

test('columns of short lines are told by their heights, rows of a table by theirs', () => {
  const card = (words: readonly string[], x: number, top: number, step: number) =>
    words.flatMap((word, index) => [
      run(word, x, top + index * step),
      run('does it now', x + 60, top + index * step),
    ]);
  const columns = [...card(LEFT, 60, 100, 12), ...card(RIGHT, 260, 103, 13.3)];
  assertOrder(columns, [...LEFT, ...RIGHT]);
  const rows = [...card(LEFT, 60, 100, 12), ...card(RIGHT, 260, 100, 12)];
  assertOrder(
    rows,
    LEFT.flatMap((word, index) => [word, RIGHT[index] ?? '']),
  );
});

test('justified lines of a single column are not divided where their spaces are wide', () => {
  const words = LEFT.flatMap((word, index) => [
    line(word, 60, 100 + index * 12),
    line(RIGHT[index] ?? '', 60 + WIDTH + (index % 3 === 1 ? 7 : 3), 100 + index * 12),
  ]);
  assertOrder(
    words,
    LEFT.flatMap((word, index) => [word, RIGHT[index] ?? '']),
  );
});
