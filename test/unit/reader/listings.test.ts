import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';
import { pageOf, run } from '../../support/text-runs.ts';

const code = (text: string, x: number, y: number): Run => ({ ...run(text, x, y), monospaced: true });
/** A line of prose that fills the column. */
const prose = (y: number, x = 60) =>
  run('The text of the manual explains at length what the reader has to do', x, y);
/** A paragraph above each page's lines, and one below. */
const page = (...runs: Run[]) =>
  pageOf([prose(60), prose(72), prose(84), ...runs, prose(400), prose(412), prose(424)]);
const listings = (...runs: Run[]) =>
  layOutPage(page(...runs)).flatMap((element) => (element.type === 'code' ? [element.content] : []));

const cases: Record<string, [runs: Run[], expected: string[]]> = {
  'keeps lines, indents and blank lines': [
    [code('if (dark) {', 80, 110), code('light();', 90, 122), code('}', 80, 134), code('sleep();', 80, 158)],
    ['if (dark) {\n  light();\n}\n\nsleep();'],
  ],
  'keeps the gaps within its lines, and is no table': [
    [0, 1, 2, 3].flatMap((at) => [code('item', 80, 110 + at * 12), code('count', 150, 110 + at * 12)]),
    [Array.from({ length: 4 }, () => 'item          count').join('\n')],
  ],
  'may be one line that stands apart': [[code('make install', 80, 104)], ['make install']],
  'may end its lines with comments in the font of the text': [
    [
      code('x <- 1', 80, 110),
      code('#', 130, 110),
      run('the first', 140, 110),
      run('[lines left out]', 100, 122),
      code('y <- 2', 80, 134),
    ],
    ['x <- 1    # the first\n    [lines left out]\ny <- 2'],
  ],
  'joins lines that were divided to fit': [
    [code('copy from', 80, 110), run('←-', 130, 110), code('there', 90, 122)],
    ['copy fromthere'],
  ],
  'ends before text in another size': [
    [code('one();', 80, 110), { ...code('two();', 80, 140), size: 8 }],
    ['one();', 'two();'],
  ],
  'is not a line of code that a paragraph runs into': [
    [code('/etc/apt/sources.list', 60, 96), prose(120)],
    [],
  ],
  'is not a line of code that begins a paragraph': [[code('/etc/apt/sources.list', 60, 120), prose(132)], []],
  'is not a term above its explanation': [
    [code('--quiet', 60, 120), code('--silent', 60, 132), prose(144, 90)],
    [],
  ],
  'is not an item of a list': [
    [run('•', 70, 110), code('gcc', 80, 110), run('•', 70, 122), code('make', 80, 122)],
    [],
  ],
  'is not an address below a name': [[code('ada@example.org', 200, 110)], []],
};

for (const [what, [runs, expected]] of Object.entries(cases))
  test(`a listing ${what}`, () => assert.deepEqual(listings(...runs), expected));

test('a typewritten document is prose', () => {
  const typewritten = page(code('make install', 80, 104)).runs.map((each) => ({ ...each, monospaced: true }));
  assert.ok(!layOutPage(pageOf(typewritten)).some(({ type }) => type === 'code'));
});
