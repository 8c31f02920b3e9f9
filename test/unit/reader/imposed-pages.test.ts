import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imposedPages, isImposed } from '../../../packages/reader/src/layout/imposed-pages.ts';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';
import { listed } from '../../support/elements.ts';
import { pageOf, run } from '../../support/text-runs.ts';

const sheetOf = (runs: readonly Run[], rules: { x0: number; x1: number; y0: number; y1: number }[] = []) => ({
  ...pageOf(runs),
  width: 840,
  height: 595,
  rules,
});
/** A page of short lines that are level with those of the other page. */
const listOf = (words: readonly string[], x: number): Run[] =>
  words.map((word, at) => run(word, x, 80 + at * 30));

const numbered = sheetOf([
  ...listOf(['Valves', 'ball', 'gate', 'check'], 60),
  run('12', 200, 560),
  ...listOf(['Pumps', 'rotary', 'piston', 'screw'], 480),
  run('13', 620, 560),
]);

test('two pages on one sheet are read one after the other, by their numbers', () => {
  assert.ok(isImposed([numbered]));
  const text = listed(layOutPage(numbered, { columns: imposedPages(numbered, true) })).join('\n');
  const order = ['Valves', 'ball', 'check', '12', 'Pumps', 'rotary', 'screw', '13'].map((word) =>
    text.indexOf(word),
  );
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test('so are those with one running title, or tables of their own', () => {
  const titled = (x: number): Run[] => [run('Garden pumps', x, 40), ...listOf(['ball', 'gate', 'check'], x)];
  assert.ok(isImposed([sheetOf([...titled(60), ...titled(480)])]));
  const rules = [60, 480].flatMap((x) => [90, 120, 150].map((y) => ({ x0: x, x1: x + 200, y0: y, y1: y })));
  const tables = [...listOf(['a1', 'a2', 'a3', 'a4'], 60), ...listOf(['b1', 'b2', 'b3', 'b4'], 480)];
  assert.ok(isImposed([sheetOf(tables, rules)]));
});

test('a wide page of its own stays one', () => {
  const cells = [...listOf(['ball', 'gate', 'check'], 60), ...listOf(['10', '20', '30'], 480)];
  assert.ok(!isImposed([sheetOf(cells)]), 'rows of a table');
  const crossed = sheetOf([...numbered.runs, run('A title over both halves of it', 300, 40)]);
  assert.ok(!isImposed([crossed]), 'text crosses the fold');
  assert.equal(imposedPages(crossed, true).length, 1);
  const upright = { ...numbered, height: 1200 };
  assert.ok(!isImposed([upright]), 'a page that is higher than wide');
  const ruled = sheetOf(numbered.runs, [{ x0: 60, x1: 700, y0: 100, y1: 100 }]);
  assert.ok(!isImposed([ruled]), 'a line of a table crosses the fold');
});
