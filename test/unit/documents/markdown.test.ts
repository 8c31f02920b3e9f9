import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presentContent } from '../../../api/resources/document/present-element.ts';
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
