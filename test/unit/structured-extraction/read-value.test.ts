import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dateOrderOf,
  readBoolean,
  readDate,
  readNumber,
} from '../../../domain/structured-extraction/read-value.ts';

test('reads numbers in the notations of invoices', () => {
  const cases: [string, number | undefined][] = [
    ['12', 12],
    ['12.50', 12.5],
    ['12,50', 12.5],
    ['1,234', 1234],
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ['1 234,50', 1234.5],
    ["1'234.50", 1234.5],
    ['1,234,567', 1234567],
    ['1.234.567', 1234567],
    ['12.345', 12.345],
    ['0,5', 0.5],
    ['.5', 0.5],
    ['$12.00', 12],
    ['-$3', -3],
    ['€ 1.200,00', 1200],
    ['EUR 12.50', 12.5],
    ['12.50 EUR', 12.5],
    ['(3.00)', -3],
    ['12,00-', -12],
    ['5,-', 5],
    ['1.234,-- EUR', 1234],
    ['CHF 100.–', 100],
    ['USD1,000.00', 1000],
    ['Rs. 1,23,456.00', 123_456],
    ['₹12,34,567', 1_234_567],
    ['1,23,456 INR', 123_456],
    ['12,34,567', undefined],
    ['1,12,345', undefined],
    ['1.000.-', 1000],
    ['1,234,-', 1234],
    ['12.5.-', undefined],
    ['3.5 % p.a.', 3.5],
    ['1.234,50- EUR', -1234.5],
    ['12-month', undefined],
    ['30-day', undefined],
    ['5-Zimmer', undefined],
    ['1,50-mm', undefined],
    ['2024-', undefined],
    ["3,2 millions d'euros", 3_200_000],
    ['−7', -7],
    ['19 %', 19],
    ['5 kg', 5],
    ['45.00 CR', undefined],
    ['45.00DR', undefined],
    ['(45.00) CR', undefined],
    ['$45.00 CR', undefined],
    ['45.00 EUR Dr.', undefined],
    ['₹5 Cr', undefined],
    ['45.00 cr', undefined],
    ['45,00 C.R.', undefined],
    ['EUR 45 dr.', undefined],
    ['30 CR', 30],
    ['5 Dr', 5],
    ['5 crore', 50_000_000],
    ['12.', 12],
    ['1,23,4', undefined],
    ['1.2.3', undefined],
    ['12 apples and 3 pears', undefined],
    ['Rs 1939', 1939],
    ['١٬٢٣٤٫٥٠', 1234.5],
    ['A12', undefined],
    ['12-34', undefined],
    ['(3.00', undefined],
    ['', undefined],
  ];
  for (const [text, value] of cases) assert.equal(readNumber(text), value, text);
});

test('words and letters after a number multiply it, and units do not', () => {
  const cases: [string, number | undefined][] = [
    ['1.5 million', 1_500_000],
    ['EUR 1.5 million', 1_500_000],
    ['$2.3M', 2_300_000],
    ['$2.3 m', 2_300_000],
    ['€5m', 5_000_000],
    ['5 m€', 5_000_000],
    ['5 k€', 5_000],
    ['3 Mio. €', 3_000_000],
    ['3,25 Mio EUR', 3_250_000],
    ['2,5 Mrd.', 2_500_000_000],
    ['1.2k', 1_200],
    ['12K', 12_000],
    ['1.2M', 1_200_000],
    ['£4bn', 4_000_000_000],
    ['2 billion', 2e9],
    ['7 milliards', 7e9],
    ['12 millones', 12e6],
    ['500 TEUR', 500_000],
    ['4 MEUR', 4_000_000],
    ['300 тыс.', 300_000],
    ['3 crore', 30_000_000],
    ['12万', 120_000],
    ['2千万', 20_000_000],
    ['3百万円', 3_000_000],
    ['5千円', 5_000],
    ['300백만원', 300_000_000],
    ['3百分点', 3],
    ['5千克', 5],
    ['10千米', 10],
    ['3千瓦', 3],
    ['1013百帕', 1013],
    ['1.5億円', 150_000_000],
    ['(1.2 million)', -1_200_000],
    ['(1.2) million', -1_200_000],
    ['5 m', 5],
    ['12 mm', 12],
    ['300 K', 300],
    ['5 kg', 5],
    ['5 km', 5],
    ['16 GB', 16],
    ['12,5%', 12.5],
    ['5 M', undefined],
    ['5 mil', undefined],
    ['2 dozen', undefined],
  ];
  for (const [text, value] of cases) assert.equal(readNumber(text), value, text);
});

test('an amount is read back from the notations of several countries', () => {
  const amount = fc.integer({ min: -99_999_999, max: 99_999_999 });
  fc.assert(
    fc.property(amount, fc.constantFrom('en-US', 'de-DE', 'de-CH', 'fr-FR'), (cents, locale) => {
      const text = (cents / 100).toLocaleString(locale, { minimumFractionDigits: 2 });
      assert.equal(readNumber(text), cents / 100, text);
    }),
  );
});

test('reads dates unless they are ambiguous', () => {
  const cases: [string, string | undefined][] = [
    ['2026-11-21', '2026-11-21'],
    ['2026-11-21T10:00:00Z', '2026-11-21'],
    ['2026/1/2', '2026-01-02'],
    ['21 November 2026', '2026-11-21'],
    ['21st of Nov. 2026', '2026-11-21'],
    ['November 21, 2026', '2026-11-21'],
    ['Nov 21 2026', '2026-11-21'],
    ['Saturday, 21 November 2026', '2026-11-21'],
    ['21-Nov-2026', '2026-11-21'],
    ['21.11.2026', '2026-11-21'],
    ['03.04.2026', '2026-04-03'],
    ['21/11/2026', '2026-11-21'],
    ['11/21/2026', '2026-11-21'],
    ['21/11/2026 14:05', '2026-11-21'],
    ['05/05/2026', '2026-05-05'],
    ['03/04/2026', undefined],
    ['31.02.2026', undefined],
    ['32 January 2026', undefined],
    ['1 Foo 2026', undefined],
    ['yesterday', undefined],
    ['12. März 2024', '2024-03-12'],
    ['1er mars 2024', '2024-03-01'],
    ['3 de mayo de 2024', '2024-05-03'],
    ['٣ مايو ٢٠٢٤', '2024-05-03'],
    ['August 3 , 2014', '2014-08-03'],
    ['05.07.15', '2015-07-05'],
    ['1 jui 2024', undefined],
    ['Montag, den 5. Februar 2024', '2024-02-05'],
    ['Le 5 février 2024', '2024-02-05'],
    ['20240105', '2024-01-05'],
    ['20241305', undefined],
    ['令和6年3月5日', '2024-03-05'],
    ['昭和64年1月7日', '1989-01-07'],
    ['令和元年5月1日', '2019-05-01'],
    ['中華民國113年3月5日', '2024-03-05'],
  ];
  for (const [text, value] of cases) assert.equal(readDate(text), value, text);
});

test('dates of digits alone take the order that other dates show', () => {
  assert.equal(readDate('03/04/24', 'day'), '2024-04-03');
  assert.equal(readDate('03/04/24', 'month'), '2024-03-04');
  assert.equal(dateOrderOf('from 03/04/2024 to 21/04/2024'), 'day');
  assert.equal(dateOrderOf('03/04/2024, 04/21/2024'), 'month');
  assert.equal(dateOrderOf('21/04/2024, 04/21/2024'), undefined);
});

test('reads yes and no', () => {
  for (const text of ['Yes', 'true', 'X', '☑']) assert.equal(readBoolean(text), true, text);
  for (const text of ['no', 'False', '☐']) assert.equal(readBoolean(text), false, text);
  for (const text of ['maybe', '1', '']) assert.equal(readBoolean(text), undefined, text);
});
