import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';
import { pageOf, run } from '../../support/text-runs.ts';
import { shown } from '../../support/elements.ts';

const SENTENCE = 'The text of the column goes on and on and does not end';
/** Lines of a column from the top of the page to the given height. */
const column = (to: number, x = 60) =>
  Array.from({ length: Math.floor((to - 60) / 12) }, (_, at) => run(SENTENCE, x, 60 + at * 12));
const small = (text: string, x: number, y: number, size = 8) => run(text, x, y, { size });
const notes = (...runs: Run[]) =>
  shown(layOutPage(pageOf(runs))).flatMap(({ content, role }) => (role === 'footnote' ? [content] : []));

const cases: Record<string, [runs: Run[], expected: string[]]> = {
  'a raised mark, over two lines': [
    [
      ...column(660),
      small('1', 60, 697, 5),
      small('See the first report for', 64, 700),
      small('what it says.', 60, 709),
    ],
    ['1 See the first report for what it says.'],
  ],
  'marks of several notes': [
    [...column(660), small('* Of the first bank.', 60, 700), small('† Of the second.', 60, 709)],
    ['* Of the first bank.', '† Of the second.'],
  ],
  'a mark like that of a list, if the text has marks': [
    [
      ...column(660),
      small('7', 340, 56, 6),
      small('7. See below.', 60, 700),
      small('8. See above.', 60, 709),
    ],
    ['7 See below.', '8 See above.'],
  ],
  'a list in small print': [[...column(660), small('7. Pay.', 60, 700), small('8. Go.', 60, 709)], []],
  'small print without a mark': [[...column(660), small('Printed in Bergen.', 60, 700)], []],
  'references below their heading': [
    [...column(500), run('References', 60, 560, { bold: true }), small('1 Ada, Reports.', 60, 580)],
    [],
  ],
  'a small line at the top': [[run(SENTENCE, 60, 60), small('1 A caption.', 60, 100)], []],
};

for (const [what, [runs, expected]] of Object.entries(cases))
  test(`footnotes: ${what}`, () => assert.deepEqual(notes(...runs), expected));

test('a paragraph goes on in the next column, past the note at the foot of the first', () => {
  const page = pageOf([
    ...column(660),
    small('1 See the report, which is long and fills its line.', 60, 700),
    ...column(660, 350).map((each) => ({ ...each, text: each.text.toLowerCase() })),
  ]);
  assert.deepEqual(
    layOutPage(page).map(({ role }) => role),
    [undefined, 'footnote'],
  );
});
