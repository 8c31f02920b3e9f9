import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinStrokes } from '../../../packages/reader/src/layout/drawings.ts';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import { pageLine } from 'darkroom-reader/document';
import { pageOf, run } from '../../support/text-runs.ts';
import { listed, shown } from '../../support/elements.ts';

const contents = (page: Parameters<typeof layOutPage>[0]) => listed(layOutPage(page));

/** Lines of a column that fill its width. */
const lines = (words: readonly string[], x: number, top: number) =>
  words.map((word, index) => run(`${word} and the long tale of it all`, x, top + index * 12));

test('columns are read one after the other, after the heading above both', () => {
  const page = pageOf([
    run('A heading over both of the columns here', 60, 80, { size: 20, bold: true }),
    ...lines(['one', 'two', 'six', 'ten'], 60, 120),
    ...lines(['red', 'sky', 'sea', 'ice'], 310, 120),
  ]);
  const all = contents(page).join('\n');
  assert.match(all, /^heading: A heading/);
  const order = ['one', 'two', 'six', 'ten', 'red', 'sky', 'sea', 'ice'].map((word) =>
    all.indexOf(`${word} and`),
  );
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test('a larger gap, an indent or a change of weight starts a new block', () => {
  const page = pageOf([
    run('The first paragraph has a line that is long enough to fill it', 60, 100),
    run('and a second line that ends.', 60, 112),
    run('The next one begins after a gap, and is as long as the first', 60, 140),
    run('3.1 Methods', 60, 180, { bold: true }),
    run('Text follows its heading as it should, with enough of letters', 60, 196),
  ]);
  assert.deepEqual(
    layOutPage(page).map(({ type }) => type),
    ['paragraph', 'paragraph', 'heading', 'paragraph'],
  );
});

test('cells stay in their rows, with and without ruling lines', () => {
  const rows = [
    ['Item', 'Depth', 'Width'],
    ['bridge', '12', '7.5'],
    ['harbour', '', '31'],
    ['river', '4', '18'],
  ];
  const runs = rows.flatMap((row, y) =>
    row.flatMap((text, x) => (text === '' ? [] : [run(text, 64 + x * 120, 114 + y * 20)])),
  );
  const markdown =
    '| Item | Depth | Width |\n| --- | --- | --- |\n| bridge | 12 | 7.5 |\n| harbour |  | 31 |\n| river | 4 | 18 |';
  const across = [0, 1, 2, 3, 4].map((y) => ({ x0: 60, x1: 420, y0: 100 + y * 20, y1: 100 + y * 20 }));
  const down = [0, 1, 2, 3].map((x) => ({ x0: 60 + x * 120, x1: 60 + x * 120, y0: 100, y1: 180 }));
  for (const rules of [[], [...across, ...down]]) {
    const [table, ...others] = shown(layOutPage(pageOf(runs, { rules })));
    assert.equal(table?.content, markdown);
    assert.deepEqual(table?.metadata, { rows: 4, columns: 3 });
    assert.equal(others.length, 0);
  }
});

test('an accent drawn over the next letter is merged with it', () => {
  const page = pageOf([
    { ...run('Hans-Bernhard Br¨', 60, 100), x1: 145 },
    run('oker, Mikul´', 140, 100),
    { ...run('ık and a quotation´', 197, 100), x1: 290 },
    run('s end', 290, 100),
  ]);
  assert.deepEqual(contents(page), ['paragraph: Hans-Bernhard Bröker, Mikulík and a quotation´s end']);
});

test('lists keep their markers and levels', () => {
  const page = pageOf([
    run('• first', 60, 100),
    run('• inner', 80, 112),
    run('• innermost', 100, 124),
    run('• last', 60, 136),
  ]);
  assert.deepEqual(contents(page), ['list: - first\n  - inner\n    - innermost\n- last']);
});

test('labels and values become pairs, on one line or in two columns', () => {
  const page = pageOf([
    run('Date: 4 March 1999', 60, 100),
    run('Customer: Northern Survey', 60, 114),
    run('Total:', 60, 128),
    run('30.50 EUR', 200, 128),
  ]);
  assert.deepEqual(
    shown(layOutPage(page)).map(({ metadata }) => metadata),
    [
      { key: 'Date', value: '4 March 1999' },
      { key: 'Customer', value: 'Northern Survey' },
      { key: 'Total', value: '30.50 EUR' },
    ],
  );
});

test('prose that continues below a colon is not a pair', () => {
  const page = pageOf([
    run('Any: the value is the encoding of a structure and is never empty here.', 60, 100),
    run('Sequence: the value is the word new, and its length is not equal to nought', 60, 112),
    run('when another element is added to it. The name of the element is its number.', 60, 124),
  ]);
  assert.ok(!contents(page).some((part) => part.startsWith('key_value')));
});

test('the entries of a table of contents are not headings', () => {
  const page = pageOf([
    run('Contents', 60, 80, { size: 16, bold: true }),
    run('1 Introduction . . . . . . . . . 1', 60, 110, { bold: true }),
    run('1.1 Purpose . . . . . . . . . . . 2', 70, 124),
    run('2 Utilities . . . . . . . . . . . 5', 60, 138, { bold: true }),
    run('2.1 Parser. . . . . . . . . . . . 5', 70, 152),
  ]);
  assert.deepEqual(
    layOutPage(page).map(({ type }) => type),
    ['heading', 'list'],
  );
});

for (const caption of ['Figure 2: A bridge', 'Picture 2: A bridge', 'Image 2: A bridge']) {
  test(`a figure takes the caption next to it: ${caption}`, () => {
    const page = pageOf([run(caption, 60, 320)], { images: [{ x0: 60, x1: 300, y0: 100, y1: 300 }] });
    assert.deepEqual(contents(page), [`figure: ${caption}`]);
  });
}

test('a drawing is a figure only with a caption', () => {
  const strokes = Array.from({ length: 8 }, (_, index) => ({
    x0: 60 + index * 20,
    x1: 78 + index * 20,
    y0: 100 + (index % 3) * 10,
    y1: 200,
  }));
  const far = { x0: 60, x1: 200, y0: 500, y1: 560 };
  const drawings = joinStrokes([...strokes, far, { x0: 400, x1: 410, y0: 100, y1: 110 }], {
    width: 595,
    height: 842,
  });
  assert.deepEqual(drawings, [{ x0: 60, x1: 218, y0: 100, y1: 200 }, far]);
  const page = pageOf([run('Figure 3: Water levels', 60, 220), run('Some text', 60, 400)], { drawings });
  assert.deepEqual(contents(page), ['figure: Figure 3: Water levels', 'paragraph: Some text']);
});

test('a numbered list below a bulleted one is a separate list', () => {
  const page = pageOf([
    run('• first', 60, 100),
    run('1. inner', 80, 112),
    run('• last', 60, 124),
    run('1. read', 60, 136),
    run('2. sign', 60, 148),
  ]);
  assert.deepEqual(contents(page), ['list: - first\n  1. inner\n- last', 'list: 1. read\n2. sign']);
});

const FULL = 'A line of the paragraph that is as long as its column on the page, in';
const lists: Record<string, [runs: Parameters<typeof pageOf>[0], expected: string[]]> = {
  'initials of names are no markers': [
    [run('P. Murrell', 60, 100), run('A. Smith', 60, 112)],
    ['paragraph: P. Murrell', 'paragraph: A. Smith'],
  ],
  'numbers that do not count on are no markers': [
    [run('12. May', 60, 100), run('7. June', 60, 112)],
    ['paragraph: 12. May', 'paragraph: 7. June'],
  ],
  'letters and numbers that count on are': [
    [run('a) red', 60, 100), run('b) blue', 60, 112), run('c) green', 60, 124)],
    ['list: a) red\nb) blue\nc) green'],
  ],
  'a date or dash at the beginning of a line goes on with its sentence': [
    [
      run(FULL, 60, 100),
      run('12. May, or rather on the day after it,', 60, 112),
      run('as was said.', 60, 124),
    ],
    [`paragraph: ${FULL} 12. May, or rather on the day after it, as was said.`],
  ],
  'gaps between its items do not end a list, and bullets of symbol fonts begin one': [
    [run('\uF0FC first', 60, 100), run('\uF0FC second', 60, 130)],
    ['list: - first\n- second'],
  ],
  'items that code divides keep their numbers': [
    [
      run('1. Make a folder', 60, 100),
      { ...run('mkdir work', 90, 120), monospaced: true },
      run('2. Go to it', 60, 140),
      run('and look around', 72, 152),
    ],
    ['list: 1. Make a folder', 'code: mkdir work', 'list: 2. Go to it and look around'],
  ],
};
for (const [what, [runs, expected]] of Object.entries(lists))
  test(`lists: ${what}`, () => assert.deepEqual(contents(pageOf(runs)), expected));

test('known running lines are headers and footers, and other numbers at the edge are text', () => {
  const profile = {
    body: { size: 10, bold: false },
    headings: [],
    running: [
      { ...pageLine('Report 3', 3), y: 0.05 },
      { ...pageLine('4', 3), y: 0.97 },
    ],
  };
  const roles = (pageNumber: number, header: string, footer: string) =>
    layOutPage(
      pageOf([run(header, 60, 45), run('The text of the page is short.', 60, 400), run(footer, 290, 820)]),
      { profile, pageNumber },
    ).map(({ role }) => role);
  assert.deepEqual(roles(16, 'Report 16', '17'), ['page_header', undefined, 'page_footer']);
  assert.deepEqual(roles(16, 'Report 1999', '4711'), [undefined, undefined, undefined]);
});

test('no word is lost and every box is within the page, for any contents', () => {
  const words = fc.constantFrom('river', 'bridge', '12', 'Item:', '•', '1.', 'A', 'harbour');
  const place = fc.record({
    text: words,
    x: fc.integer({ min: 0, max: 540 }),
    y: fc.integer({ min: 10, max: 830 }),
  });
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), (places) => {
      const runs = places.map(({ text, x, y }) => run(text, x, y));
      const elements = layOutPage(pageOf(runs));
      const found = listed(elements).join(' ');
      for (const word of ['river', 'bridge', 'harbour']) {
        const count = (text: string) => text.split(word).length - 1;
        assert.equal(count(found), count(runs.map(({ text }) => text).join(' ')), word);
      }
      for (const { box } of elements)
        assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.w <= 1.0001 && box.y + box.h <= 1.0001);
    }),
    { numRuns: 300 },
  );
});
