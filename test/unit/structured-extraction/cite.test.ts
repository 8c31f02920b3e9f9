import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cite } from '../../../engines/text-work/cite.ts';
import type { PageElement } from 'darkroom-reader/document';
import { linesOf, type ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import { tableElement } from '../../support/elements.ts';

const line = (text: string, at: number) => ({ text, box: { x: 0.1, y: at / 20, w: 0.5, h: 0.04 } });
const page = (...texts: string[]): ReadPage => ({ pageNumber: 1, elements: [], lines: texts.map(line) });

const RECEIPT = page(
  'CORNER SHOP',
  'Invoice No. INV-2026-17',
  'Date: 21 November 2026',
  'Bread 2.40',
  'Milk 2.40',
  'Total EUR 1.234,50',
  'Deliver to the back door of the',
  'old mill at Hampton',
);

test('each value is found in its line, whatever the notation', () => {
  const cases: [string, unknown, string | undefined, number?][] = [
    ['an exact value', { number: 'INV-2026-17' }, 'Invoice No. INV-2026-17', 1],
    ['a different case', { shop: 'Corner Shop' }, 'CORNER SHOP', 1],
    ['a date', { date: '2026-11-21' }, 'Date: 21 November 2026', 1],
    ['an amount', { total: 1234.5 }, 'Total EUR 1.234,50', 1],
    ['a misread letter', { shop: 'Cornet Shop' }, 'CORNER SHOP'],
    ['part of two lines', { place: 'the back door of the old mill' }, undefined],
    [
      'a value over two lines',
      { place: 'Deliver to the back door of the old mill at Hampton' },
      'Deliver to the back door of the\nold mill at Hampton',
      1,
    ],
    ['no similar text', { shop: 'Supermarket' }, undefined],
    ['another number', { total: 1234.51 }, undefined],
    ['part of a number', { total: 34 }, undefined],
    ['a boolean', { paid: true }, undefined],
  ];
  for (const [name, data, text, confidence] of cases) {
    const [cited] = Object.values(cite(data, [RECEIPT]));
    assert.equal(cited?.text, text, name);
    if (cited && confidence !== undefined) assert.equal(cited.confidence, confidence, name);
    if (cited && confidence === undefined) assert.ok(cited.confidence >= 0.75 && cited.confidence < 1, name);
  }
});

test('equal values are assigned to different lines, and the name of a field decides between them', () => {
  const rows = cite({ items: [{ price: 2.4 }, { price: 2.4 }] }, [RECEIPT]);
  assert.equal(rows['/items/0/price']?.text, 'Bread 2.40');
  assert.equal(rows['/items/1/price']?.text, 'Milk 2.40');
  const named = cite({ milk: 2.4 }, [RECEIPT]);
  assert.equal(named['/milk']?.text, 'Milk 2.40');
});

test('boxes enclose all lines, and pages are named', () => {
  const second = { ...page('Signed by Ada Lovelace'), pageNumber: 2 };
  const data = { place: 'Deliver to the back door of the old mill at Hampton', 'signed/by': 'Ada Lovelace' };
  const cited = cite(data, [RECEIPT, second]);
  assert.deepEqual(cited['/place']?.boundingBox, { x: 0.1, y: 0.3, w: 0.5, h: 0.09 });
  assert.equal(cited['/signed~1by']?.page, 2);
});

test('a value in a table is in its row, by the boxes of its cells if they are known', () => {
  const table = { ...tableElement(['Part', 'Price'], ['Hose', '12.50']), box: { x: 0, y: 0, w: 1, h: 0.4 } };
  const boxOf = (elements: PageElement[]) =>
    cite({ price: 12.5 }, [{ pageNumber: 1, elements }])['/price']?.boundingBox;
  assert.deepEqual(boxOf([table]), { x: 0, y: 0.2, w: 1, h: 0.2 });
  const cellBoxes = [0, 0.1].map((y) => [0, 0.5].map((x) => ({ x, y, w: 0.5, h: y === 0 ? 0.1 : 0.3 })));
  assert.deepEqual(boxOf([{ ...table, cellBoxes }]), { x: 0, y: 0.1, w: 1, h: 0.3 });
});

test('lines of an element without lines have the box of the element', () => {
  const elements = [{ type: 'paragraph' as const, content: 'a\nb', box: { x: 0, y: 0.5, w: 1, h: 0.2 } }];
  assert.deepEqual(
    linesOf({ pageNumber: 1, elements }).map(({ box }) => [box.y, box.h]),
    [
      [0.5, 0.1],
      [0.6, 0.1],
    ],
  );
});
