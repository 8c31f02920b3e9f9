import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageElement } from 'darkroom-reader/document';
import { signsOfPages, type PageToSplit } from '../../../engines/text-work/split/page-signs.ts';
import { proposeParts } from '../../../engines/text-work/split/propose-parts.ts';
import { rangeText } from '../../../domain/splits.ts';

/** Where rules see documents begin. A line is at the height of its number, from 0 at the top to 1. */
type Line = [y: number, text: string];

function pageOf(lines: readonly Line[], more: Partial<PageToSplit> = {}) {
  const elements = lines.map(([y, content]): PageElement => ({
    type: 'paragraph',
    content,
    box: { x: 0.1, y, w: 0.5, h: 0.02 },
  }));
  return { elements, isRead: true, look: { width: 595, height: 842, fonts: [] }, ...more };
}

function partsOf(pages: readonly Omit<PageToSplit, 'pageNumber'>[], keepSeparators = false) {
  const { parts, leftOut } = proposeParts(
    signsOfPages(pages.map((page, at) => ({ ...page, pageNumber: at + 1 }))),
    keepSeparators,
  );
  return { pages: parts.map(rangeText), reasons: parts.map(({ reasons }) => reasons), leftOut };
}

test('page numbers that begin again divide, but not those after Roman ones, or of chapters', () => {
  const numbered = (numbers: readonly string[]) =>
    numbers.map((number) =>
      pageOf([
        [0.4, 'Text.'],
        [0.95, number],
      ]),
    );
  assert.deepEqual(partsOf(numbered(['1', '2', '3', '1', '2'])).pages, ['1-3', '4-5']);
  assert.deepEqual(partsOf(numbered(['i', 'ii', 'iii', '1', '2'])).pages, ['1-5']);
  assert.deepEqual(partsOf(numbered(['1-1', '1-2', '2-1', '2-2'])).pages, ['1-4']);
  assert.deepEqual(partsOf(numbered(['Page 1 of 1', 'Page 1 of 2', 'Page 2 of 2'])).pages, ['1', '2-3']);
});

test('blank and separator pages belong to no part', () => {
  const blank = pageOf([], { picture: { ink: 0.001, barcodes: [] } });
  const sheet = (code: string, lines: readonly Line[] = []) =>
    pageOf(lines, { picture: { ink: 0.05, barcodes: [code] } });
  const picture = pageOf([], { picture: { ink: 0.2, barcodes: [] } });
  const text = pageOf([[0.3, 'Some text of a letter.']]);
  const { pages, leftOut } = partsOf([
    text,
    blank,
    text,
    sheet('SEP-1'),
    text,
    picture,
    sheet('SEP-2'),
    text,
  ]);
  assert.deepEqual(pages, ['1', '3', '5-6', '8']);
  assert.deepEqual(leftOut, [
    { page: 2, reason: 'blank_page' },
    { page: 4, reason: 'separator_page' },
    { page: 7, reason: 'separator_page' },
  ]);
  // A label, and tickets.
  const whole = partsOf([
    text,
    sheet('90211-4', [[0.2, 'To the harbour office of Leith, 12 Quay Street, by the evening post']]),
    text,
    sheet('TICKET-1'),
    sheet('TICKET-2'),
    sheet('TICKET-3'),
  ]);
  assert.deepEqual([whole.pages, whole.leftOut], [['1', '2-3', '4', '5', '6'], []]);
});

test('a sheet that has a barcode alone is left out, unless separators are kept or the page numbers go on', () => {
  const sheet = (code: string, lines: readonly Line[] = []) =>
    pageOf(lines, { picture: { ink: 0.06, barcodes: [code] } });
  const text = pageOf([[0.3, 'Some text of a letter.']]);
  const bundle = [sheet('PATCHT'), text, sheet('90211-4', [[0.6, '90211-4']]), text, text, sheet('END')];
  assert.deepEqual(partsOf(bundle), {
    pages: ['2', '4-6'],
    reasons: [[], ['separator_page']],
    leftOut: [1, 3].map((page) => ({ page, reason: 'separator_page' })),
  });
  const kept = partsOf(bundle, true);
  assert.deepEqual([kept.pages, kept.leftOut], [['1-2', '3-6'], []]);
  // The backs of a leaflet and of a book.
  for (const code of ['https://example.org/menu', '9783161484100'])
    assert.deepEqual(partsOf([text, sheet(code), text, sheet(code)]).pages, ['1-4']);
  // What is printed around a code is no text, and a printed code no page number.
  assert.deepEqual(partsOf([text, sheet('90211', [[0.95, '* 9 0211 *']]), text]).leftOut.length, 1);
  // The last page may be a label, and pages with a number, or with more text than a word, belong to what they are in.
  const printed = (code: string, lines: readonly Line[]) =>
    partsOf([text, text, sheet(code, lines), text]).leftOut;
  assert.deepEqual(partsOf([text, text, sheet('90211-4')]).pages, ['1-3']);
  assert.deepEqual(partsOf([text, sheet('SEP'), text, sheet('SEP')]).pages, ['1', '3']);
  for (const lines of [
    [
      [0.5, 'Your return label'],
      [0.9, 'Page 3 of 3'],
    ],
    [
      [0.5, 'Label'],
      [0.95, '3'],
    ],
    [[0.4, 'Total 4,310.20 EUR due by 31 December, ref INV-2231 thanks']],
  ] satisfies Line[][])
    assert.deepEqual(printed('0123456789abcdefghijklmnopqrstuvwxyz-+#1', lines), [], lines[0]?.[1]);
  const numbered = (number: string) => pageOf([[0.95, number]]);
  assert.deepEqual(partsOf([numbered('1'), numbered('2'), sheet('A7'), numbered('3')]).pages, ['1-4']);
});

test('blank backs of sheets divide no document', () => {
  const blank = pageOf([], { picture: { ink: 0.001, barcodes: [] } });
  const text = pageOf([[0.3, 'Some text of a letter.']]);
  assert.deepEqual(partsOf([text, blank, text, blank, text]).pages, ['1-5']);
  assert.deepEqual(partsOf([text, blank, text, blank]).pages, ['1-3']);
  assert.deepEqual(partsOf([text, text, blank, text]).pages, ['1-2', '4']);
});

test('invoices and dates in a list divide no statement', () => {
  const listed = (at: number) =>
    pageOf([
      [0.05, 'Statement of the Mill, Leith'],
      [0.12, `Invoice no. 4821${at} of 0${at}.03.2026`],
      [0.14, `Invoice no. 4822${at} of 0${at}.04.2026`],
    ]);
  assert.deepEqual(partsOf([1, 2, 3, 4].map(listed)).pages, ['1-4']);
  const log = (at: number) =>
    pageOf([
      [0.05, 'Log of the harbour, Leith'],
      [0.2, `0${at}.03.2026 all quiet`],
      [0.5, 'A ship came in.'],
    ]);
  assert.deepEqual(partsOf([1, 2, 3, 4].map(log)).pages, ['1-4']);
});

test('other numbers of invoices divide, and the same number does not', () => {
  const invoice = (number: string, text: string) =>
    pageOf([
      [0.05, 'Mill Ltd, Leith'],
      [0.2, `Invoice no. ${number}`],
      [0.5, text],
    ]);
  const bundle = [invoice('48211', 'Oil'), invoice('48211', 'Rope'), invoice('48213', 'Tar')];
  assert.deepEqual(partsOf(bundle).pages, ['1-2', '3']);
});

test('fonts tell joined documents apart, unless the page numbers go on', () => {
  const set = (fonts: readonly string[], number?: string) =>
    pageOf([[0.4, 'Text.'], ...(number ? [[0.95, number] as Line] : [])], {
      look: { width: 595, height: fonts.includes('c') ? 700 : 842, fonts },
    });
  assert.deepEqual(partsOf([set(['a', 'b']), set(['a']), set(['c', 'd']), set(['c'])]).pages, ['1-2', '3-4']);
  assert.deepEqual(partsOf([set(['a'], '1'), set(['a'], '2'), set(['c'], '3')]).pages, ['1-3']);
});
