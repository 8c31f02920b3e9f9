import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { presentContent } from '../../../api/resources/document/present-element.ts';
import { type ElementContent, lengthOf, plainText, withOneHeader } from 'darkroom-reader/document';
import { markdownOf, tableLines } from '../../../domain/documents/markdown.ts';

test('cells cannot break out of their table', () => {
  const rows = [['a|b', 'c\nd'], ['e']];
  assert.equal(markdownOf({ type: 'table', rows }), '| a\\|b | c d |\n| --- | --- |\n| e |  |');
  assert.equal(markdownOf({ type: 'table', rows: [['a', 'b', 'c'], []] }).split('\n')[2], '|  |  |  |');
  assert.equal(markdownOf({ type: 'table', rows: [[]] }), '|  |\n|');
});

test('a table is also shown as its cells: lines within one, and merged ones once', () => {
  const rows = [
    ['Name', 'Size', 'Size'],
    ['Name', 'A\n(cm)', 'B'],
    ['a|b', '1'],
  ];
  const merged = [
    { row: 0, column: 0, rows: 2, columns: 1 },
    { row: 0, column: 1, rows: 1, columns: 2 },
  ];
  assert.deepEqual(presentContent({ type: 'table', rows, merged }), {
    type: 'table',
    content: '| Name | Size | Size |\n| --- | --- | --- |\n| Name | A (cm) | B |\n| a\\|b | 1 |  |',
    metadata: { rows: 3, columns: 3 },
    rows: [
      [
        { text: 'Name', row_span: 2 },
        { text: 'Size', column_span: 2 },
      ],
      [{ text: 'A\n(cm)' }, { text: 'B' }],
      [{ text: 'a|b' }, { text: '1' }],
    ],
  });
});

test('items have their markers, boxes and depth, each on one line', () => {
  const items = [
    { marker: '3.', text: 'Drain the tank\n(see page 4)', depth: 0 },
    { marker: '-', text: 'the valve', depth: 1, checked: true },
    { marker: '-', text: 'the lid', depth: 1, checked: false },
    { marker: 'b)', text: 'Close it', depth: 0 },
  ];
  assert.deepEqual(presentContent({ type: 'list', items }), {
    type: 'list',
    content: '3. Drain the tank (see page 4)\n  - [x] the valve\n  - [ ] the lid\nb) Close it',
    metadata: { items: 2 },
  });
});

test('what is struck out and links are printed, one within the other, also in a cell', () => {
  const marks = [
    { kind: 'link', target: 'https://a.example/', start: 0, end: 7 },
    { kind: 'struck', start: 0, end: 3 },
  ] as const;
  const printed = '[~~old~~ new](https://a.example/)';
  assert.equal(presentContent({ type: 'paragraph', content: 'old new, x', marks }).content, `${printed}, x`);
  const table = { type: 'table', rows: [['old new']], marks: [{ row: 0, column: 0, marks }] } as const;
  assert.deepEqual(presentContent(table).rows, [[{ text: 'old new', markdown: printed }]]);
  assert.equal(plainText(table), 'new');
});

test('a table with several header rows has its ruler below the first, and one header where one is read', () => {
  const rows = [
    ['Size', 'Price', 'Price'],
    ['Size', 'net', 'gross'],
    ['M4', '1', '2'],
  ];
  const table = { type: 'table', rows, headerRows: 2 } as const;
  const { content, metadata } = presentContent(table);
  assert.equal(
    content,
    '| Size | Price | Price |\n| --- | --- | --- |\n| Size | net | gross |\n| M4 | 1 | 2 |',
  );
  assert.equal(metadata['header_rows'], 2);
  assert.deepEqual(withOneHeader(table), [['Size', 'Price net', 'Price gross'], rows[2]]);
  const { header, rows: others } = tableLines(table);
  assert.deepEqual([header.length, others], [3, ['| M4 | 1 | 2 |']]);
});

const words = fc.stringMatching(/^[a-z]{0,9}$/);
const marks = fc.array(
  fc
    .record({ start: fc.nat(4), end: fc.integer({ min: 5, max: 9 }) })
    .chain((place) =>
      fc.constantFrom(
        { ...place, kind: 'struck' as const },
        { ...place, kind: 'link' as const, target: 'https://a.example/' },
      ),
    ),
  { maxLength: 1 },
);
const elements: fc.Arbitrary<ElementContent> = fc.oneof(
  fc
    .array(fc.array(words, { minLength: 1 }), { minLength: 1 })
    .map((rows) => ({ type: 'table' as const, rows })),
  fc
    .array(
      fc.record(
        { marker: fc.constantFrom('-', '12.'), text: words, depth: fc.nat(4), checked: fc.boolean() },
        { requiredKeys: ['marker', 'text', 'depth'] },
      ),
      { minLength: 1 },
    )
    .map((items) => ({ type: 'list' as const, items })),
  fc.record({ type: fc.constant('key_value' as const), key: words, value: words }),
  fc.record({ type: fc.constant('paragraph' as const), content: fc.stringMatching(/^[a-z]{9}$/), marks }),
);

test('the length of an element is that of its Markdown without marks that escape others', () => {
  fc.assert(fc.property(elements, (element) => assert.equal(lengthOf(element), markdownOf(element).length)));
});
