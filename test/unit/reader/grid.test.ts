import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvElements } from '../../../packages/reader/src/csv/open-csv.ts';
import { tableElements, tableOf } from '../../../packages/reader/src/flow/grid.ts';
import { shown } from '../../support/elements.ts';

const cells = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

test('a table may have more rows than a call has arguments', () => {
  const rows = Array.from({ length: 150_000 }, (_, at) => [`${at}`, 'x']);
  assert.equal(tableOf(rows)[0]?.rows.length, 150_000);
});

const RAGGED: readonly [what: string, rows: string[][]][] = [
  ['above a thousand short ones', [cells('c', 10_000), ...cells('r', 1_000).map((cell) => [cell])]],
  [
    'among a thousand short ones',
    [
      ['a', 'b'],
      ...cells('r', 500).map((cell) => [cell]),
      cells('c', 10_000),
      ...cells('s', 500).map((cell) => [cell]),
    ],
  ],
];

for (const [what, rows] of RAGGED)
  test(`a wide row ${what} is read, and widens its own piece only`, () => {
    const elements = shown(csvElements(rows.map((row) => row.join(',')).join('\n')));
    const words = new Set(elements.flatMap(({ rows: read = [] }) => read.flat().map(({ text }) => text)));
    assert.deepEqual(
      rows.flat().filter((cell) => !words.has(cell)),
      [],
    );
    const length = elements.reduce((sum, { content }) => sum + content.length, 0);
    assert.ok(length < 6 * rows.flat().join(' | ').length, String(length));
  });

test('the pieces of a table repeat its header as far as their rows reach', () => {
  const long = 'word '.repeat(400).trim();
  const pieces = tableElements([['a', 'b', 'c'], ['1', long], ['2', long, 'x'], ['3']]);
  assert.deepEqual(
    pieces.map((piece) => piece.rows[0]),
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  );
});

test('merged cells are divided with the rows of a table', () => {
  const long = 'word '.repeat(400).trim();
  const rows = [['a', 'a', 'c'], ...Array.from({ length: 4 }, (_, at) => [`${at}`, long, 'x'])];
  const merged = [
    { row: 0, column: 0, rows: 1, columns: 2 },
    { row: 0, column: 2, rows: 2, columns: 1 },
    { row: 1, column: 0, rows: 2, columns: 1 },
    { row: 4, column: 1, rows: 9, columns: 9 },
  ];
  const pieces = tableElements(rows, merged);
  const header = { row: 0, column: 0, rows: 1, columns: 2 };
  assert.deepEqual(
    pieces.map((piece) => [piece.rows.length - 1, piece.merged]),
    [
      [1, [header, { row: 0, column: 2, rows: 2, columns: 1 }]],
      [1, [header]],
      [1, [header]],
      [1, [header, { row: 1, column: 1, rows: 1, columns: 2 }]],
    ],
  );
});

const DELIMITED: readonly [what: string, text: string, rows: string[][]][] = [
  [
    'decimal commas',
    '1,5;2,25;3,75\n4,5;5,25;6,75\n',
    [
      ['1,5', '2,25', '3,75'],
      ['4,5', '5,25', '6,75'],
    ],
  ],
  [
    'thousands',
    'a|b\n1,000|2,000.50\n3,000|4,000.25',
    [
      ['a', 'b'],
      ['1,000', '2,000.50'],
      ['3,000', '4,000.25'],
    ],
  ],
  [
    'amounts with a sign',
    'Posten;Betrag\nMiete;1.200,50 €\nStrom;-80,00 €',
    [
      ['Posten', 'Betrag'],
      ['Miete', '1.200,50 €'],
      ['Strom', '-80,00 €'],
    ],
  ],
  [
    'commas in names',
    'name;price\nMüller, Hans;1,50\nMeier, Eva;2,75',
    [
      ['name', 'price'],
      ['Müller, Hans', '1,50'],
      ['Meier, Eva', '2,75'],
    ],
  ],
  [
    'commas in prose',
    'id\tnote\n1\tfirst, and so on, again\n2\tsecond, third, again',
    [
      ['id', 'note'],
      ['1', 'first, and so on, again'],
      ['2', 'second, third, again'],
    ],
  ],
  [
    'lists in cells',
    'id,tags\n1,a;b;c\n2,d;e;f\n',
    [
      ['id', 'tags'],
      ['1', 'a;b;c'],
      ['2', 'd;e;f'],
    ],
  ],
  [
    'quoted delimiters',
    '"x;y","1,5"\n"z;w","2,5"\n',
    [
      ['x;y', '1,5'],
      ['z;w', '2,5'],
    ],
  ],
  ['one row', 'a;1,5;b', [['a', '1,5', 'b']]],
  [
    'dates and times',
    'when;what\n2024-01-02 10:30;1,5\n2024-01-03 11:45;2,5',
    [
      ['when', 'what'],
      ['2024-01-02 10:30', '1,5'],
      ['2024-01-03 11:45', '2,5'],
    ],
  ],
  [
    'rows that end early',
    'a;b;c\n1,5;2,5\n3,5;4,5;5,5\n6,5;7,5;8,5',
    [
      ['a', 'b', 'c'],
      ['1,5', '2,5'],
      ['3,5', '4,5', '5,5'],
      ['6,5', '7,5', '8,5'],
    ],
  ],
  ['its name', 'sep=;\n1,5;2\n', [['1,5', '2']]],
];
for (const [what, text, rows] of DELIMITED)
  test(`the delimiter of a CSV is found beside ${what}`, () => {
    const [table] = csvElements(text);
    assert.deepEqual(table?.type === 'table' && table.rows, rows);
  });

test('a CSV with a space after its delimiters has its quotes, and one without an end takes no rows', () => {
  const rowsOf = (text: string) =>
    csvElements(text).flatMap((each) => (each.type === 'table' ? each.rows : []));
  assert.deepEqual(rowsOf('a, b, c\n1, "x, y", 3\n'), [
    ['a', 'b', 'c'],
    ['1', 'x, y', '3'],
  ]);
  assert.deepEqual(rowsOf('date,amount, "note"\n2024-01-01,12.5, "o, ""k"""\n"x, ", "y",""\n'), [
    ['date', 'amount', 'note'],
    ['2024-01-01', '12.5', 'o, "k"'],
    ['x,', 'y', ''],
  ]);
  assert.deepEqual(rowsOf('a,b\n"x, y",1\n5" pipe,2\n"open,3\n7,8'), [
    ['a', 'b'],
    ['x, y', '1'],
    ['5" pipe', '2'],
    ['"open', '3'],
    ['7', '8'],
  ]);
});
