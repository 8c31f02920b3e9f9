import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import { type Box, widthOf } from '../../../packages/reader/src/layout/geometry.ts';
import { pageOf, run } from '../../support/text-runs.ts';

const [LEFT, TOP, WIDTH, HEIGHT] = [60, 100, 100, 20];

/** A row of texts, each at a column's number; a fraction is further right. */
type Row = Record<string, string>;

const runsOf = (rows: readonly Row[]) =>
  rows.flatMap((row, y) =>
    Object.entries(row).map(([x, text]) => run(text, LEFT + 4 + Number(x) * WIDTH, TOP + 14 + y * HEIGHT)),
  );
const across = (rows: readonly number[], from = 0, to = 3): Box[] =>
  rows.map((y) => ({
    x0: LEFT + from * WIDTH,
    x1: LEFT + to * WIDTH,
    y0: TOP + y * HEIGHT,
    y1: TOP + y * HEIGHT,
  }));
const down = (columns: readonly number[], from: number, to: number): Box[] =>
  columns.map((x) => ({
    x0: LEFT + x * WIDTH,
    x1: LEFT + x * WIDTH,
    y0: TOP + from * HEIGHT,
    y1: TOP + to * HEIGHT,
  }));

function tablesOf(rows: readonly Row[], rules: readonly Box[] = []): string[][][] {
  return layOutPage(pageOf(runsOf(rows), { rules })).flatMap((element) =>
    element.type === 'table' ? [element.rows.map((row) => [...row])] : [],
  );
}

const BODY: Row[] = [
  { 0: 'bridge', 1: '12', 2: '7.5' },
  { 0: 'river', 1: '4', 2: '18' },
  { 0: 'harbour', 1: '9', 2: '31' },
];
const CELLS = BODY.map((row) => Object.values(row));
const HEAD: Row = { 0: 'Item', 1: 'Depth', 2: 'Width' };
const TITLES: Row[] = [{ 1.4: 'Size in m' }, HEAD];

test('a table is found by its lines or without them', () => {
  const cases: [name: string, rows: Row[], rules: Box[], expected: string[][]][] = [
    ['above, below the head, below', [HEAD, ...BODY], across([0, 1, 4]), [Object.values(HEAD), ...CELLS]],
    ['below the head and below', [HEAD, ...BODY], across([1, 4]), [Object.values(HEAD), ...CELLS]],
    ['between all rows', [HEAD, ...BODY], across([0, 1, 2, 3, 4]), [Object.values(HEAD), ...CELLS]],
    ['no lines', [HEAD, ...BODY], [], [Object.values(HEAD), ...CELLS]],
    [
      'lines between columns, but not between rows',
      [HEAD, ...BODY],
      [...across([0, 1, 4]), ...down([0, 1, 2, 3], 0, 4)],
      [Object.values(HEAD), ...CELLS],
    ],
  ];
  for (const [name, rows, rules, expected] of cases)
    assert.deepEqual(tablesOf(rows, rules), [expected], name);
});

test('what covers several cells is the value of each', () => {
  const titled = [['', 'Size in m', 'Size in m'], Object.values(HEAD), ...CELLS];
  const cases: [name: string, rows: Row[], rules: Box[], expected: string[][]][] = [
    ['a title over the middle of its columns', [...TITLES, ...BODY], across([0, 2, 5]), titled],
    [
      'a title over a line as wide as its columns',
      [{ 1: 'Size in m' }, HEAD, ...BODY],
      [...across([0, 2, 5]), ...across([1], 1)],
      titled,
    ],
    [
      'cells without a line between them',
      [...TITLES, ...BODY],
      [...across([0, 1, 2, 3, 4, 5]), ...down([0, 1, 3], 0, 5), ...down([2], 1, 5)],
      titled,
    ],
  ];
  for (const [name, rows, rules, expected] of cases)
    assert.deepEqual(tablesOf(rows, rules), [expected], name);
});

test('a title over columns is one cell, and cells without lines have the boxes of their texts', () => {
  const [table] = layOutPage(pageOf(runsOf([...TITLES, ...BODY]), { rules: across([0, 2, 5]) }));
  assert.ok(table?.type === 'table');
  assert.deepEqual(table.merged, [{ row: 0, column: 1, rows: 1, columns: 2 }]);
  const boxes = table.cellBoxes ?? [];
  assert.deepEqual(
    boxes.map((row) => row.length),
    table.rows.map((row) => row.length),
  );
  const [, , first = []] = boxes;
  assert.ok(first.every((box, at) => at === 0 || box.x >= (first[at - 1]?.x ?? 1) + (first[at - 1]?.w ?? 1)));
  assert.ok(boxes.every((row, at) => at === 0 || (row[1]?.y ?? 0) > (boxes[at - 1]?.[1]?.y ?? 1)));
});

test('the last row may go on below as others do', () => {
  const at = [
    [0, 'bridge', '12'],
    [20, 'the long river', '7'],
    [32, 'of the town'],
    [52, 'harbour', '9'],
    [72, 'an old mill', '4'],
    [84, 'by the sea'],
  ];
  const runs = at.flatMap(([y, ...texts]) =>
    texts.map((text, x) => run(String(text), 64 + x * 150, 114 + Number(y))),
  );
  const [table, ...others] = layOutPage(pageOf(runs, {}));
  assert.deepEqual(table?.type === 'table' && table.rows, [
    ['bridge', '12'],
    ['the long river of the town', '7'],
    ['harbour', '9'],
    ['an old mill by the sea', '4'],
  ]);
  assert.deepEqual(others, []);
});

test('a line that goes on in the middle of a table is of its column', () => {
  const rest = 'flows below it to the sea';
  const written = [
    ['Item', 'Text', 'Value'],
    ['bridge', 'the river of the old town', '12'],
    ['harbour', 'many ships lie here', '7'],
  ];
  const end = 264 + widthOf(run(rest, 164, 0));
  const rows = written.map((row, at) =>
    row.map((text, column) => {
      const x = [64, 164, end - widthOf(run('Value', 0, 0))][column] ?? 0;
      return run(text, x, [114, 134, 166][at] ?? 0);
    }),
  );
  const rules = [100, 120, 172].map((y) => ({ x0: 60, x1: end, y0: y, y1: y }));
  const [table] = layOutPage(pageOf([...rows.flat(), run(rest, 164, 146)], { rules }));
  assert.deepEqual(table?.type === 'table' && table.rows, [
    written[0],
    ['bridge', `the river of the old town ${rest}`, '12'],
    written[2],
  ]);
});

test('cells without a line between them are one', () => {
  const rules = [...across([0, 1, 2, 3, 4, 5]), ...down([0, 1, 3], 0, 5), ...down([2], 1, 5)];
  const [table] = layOutPage(pageOf(runsOf([...TITLES, ...BODY]), { rules }));
  assert.deepEqual(table?.type === 'table' && table.merged, [{ row: 0, column: 1, rows: 1, columns: 2 }]);
  assert.ok(table);
  const { x, y, w, h } = table.box;
  const [title, head] = table.cellBoxes ?? [];
  const rounded = (value = 0) => Math.round(value * 1000) / 1000;
  assert.deepEqual(
    [title?.[1], head?.[2]].map((box) => [box?.x, box?.y, box?.w, box?.h].map(rounded)),
    [
      [x + w / 3, y, (w * 2) / 3, h / 5],
      [x + (w * 2) / 3, y + h / 5, w / 3, h / 5],
    ].map((box) => box.map(rounded)),
  );
});

test('text between rules parts two tables', () => {
  const rows = [HEAD, ...BODY, { 0: 'Table 2: the same for lakes' }, HEAD, ...BODY];
  const found = tablesOf(rows, across([0, 1, 4, 5, 6, 9]));
  assert.deepEqual(
    found.map(({ length }) => length),
    [4, 4],
  );
});

test('the title of a section parts two tables, and is of neither', () => {
  const titled = (x: number, text: string) => run(text, LEFT + 4 + x * WIDTH, 194, { size: 12, bold: true });
  for (const title of [[titled(0, 'Of other sizes')], [titled(0, '3.2'), titled(0.4, 'Of other sizes')]]) {
    const below = runsOf([HEAD, ...BODY]).map((one) => ({
      ...one,
      baseline: one.baseline + 100,
      y0: one.y0 + 100,
      y1: one.y1 + 100,
    }));
    const found = layOutPage(pageOf([...runsOf([HEAD, ...BODY]), ...title, ...below]));
    assert.deepEqual(
      found.map(({ type }) => type),
      ['table', 'heading', 'table'],
    );
  }
});

test('contents, indexes, definitions and text are no tables', () => {
  const text = 'the long tale of all of the seas and of';
  const cases: [name: string, rows: Row[]][] = [
    [
      'contents',
      [1, 2, 3, 4].map((page) => ({ 0: `${page}`, 0.3: 'Bridges . . . . . . . . . .', 3: `${page}` })),
    ],
    [
      'an index',
      [9, 2, 7].map((page) => ({ 0: `bridge . . . . . . ${page}`, 2.5: `river . . . . . . ${page}` })),
    ],
    ['definitions', ['boat', 'ship', 'port'].map((term) => ({ 0: term, 1: `It is a kind of ${term}.` }))],
    ['columns of text', Array.from({ length: 8 }, () => ({ 0: text, 2.4: text }))],
  ];
  for (const [name, rows] of cases)
    for (const rules of [[], across([0, rows.length], 0, 4.6)])
      if (rules.length === 0 || name !== 'definitions') assert.deepEqual(tablesOf(rows, rules), [], name);
});
