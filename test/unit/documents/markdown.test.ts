import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { presentContent } from '../../../api/resources/document/present-element.ts';
import { type ElementContent, lengthOf } from 'darkroom-reader/document';
import { markdownOf } from '../../../domain/documents/markdown.ts';

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

const words = fc.stringMatching(/^[a-z]{0,9}$/);
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
  fc.record({ type: fc.constant('paragraph' as const), content: words }),
);

test('the length of an element is that of its Markdown without marks that escape others', () => {
  fc.assert(fc.property(elements, (element) => assert.equal(lengthOf(element), markdownOf(element).length)));
});
