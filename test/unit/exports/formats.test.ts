import { stringify } from 'csv-stringify/sync';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_CELL_LENGTH, plainText } from '../../../domain/exports/cell.ts';
import { csvLayout } from '../../../services/exports/formats/csv.ts';
import { EXPORT_FORMATS, formatOf } from '../../../services/exports/formats/index.ts';
import { jsonlLayout } from '../../../services/exports/formats/json.ts';
import { sheetLayout } from '../../../services/exports/formats/xlsx.ts';
import { anyText } from '../../support/any-text.ts';

const TEXTS = ['one', 'two'].map((name) => ({ name, type: 'text' }) as const);
const rows = fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 50 });

test('a CSV line of any texts equals that of csv-stringify, and no text in it is a formula', () => {
  const { row } = csvLayout(TEXTS);
  fc.assert(
    fc.property(rows, (of) => {
      const expected = stringify(
        of.map((texts) => texts.map(escapeInside)),
        // By default csv-stringify quotes only for the record delimiter, not for a lone CR or LF.
        { record_delimiter: 'windows', escape_formulas: true, quoted_match: /[\r\n]/ },
      );
      assert.equal(of.map((texts) => row(texts)).join(''), expected);
    }),
    { numRuns: 300 },
  );
});

test('no text is a formula to a spreadsheet that splits CSV at another character', () => {
  const { row } = csvLayout(TEXTS);
  const formula = /^[=+\-@＝＋－＠]/;
  const harmless = (line: string, what: string) => {
    for (const separator of [/[;\r\n]/, /[\t\r\n]/]) {
      const [first = '', ...others] = line.split(separator);
      // Its quotes are those of a cell; in the others, they may be nothing or characters.
      for (const cell of [first, ...others.map((other) => other.replace(/^"+/, ''))])
        assert.doesNotMatch(cell, formula, `${what} split at ${separator}`);
    }
  };
  for (const text of [
    'a;=1',
    'a\t=1',
    'a\n=1',
    ';"=1',
    ';""-1',
    '\t=1',
    '\t;@a',
    'a;\t＝1',
    ';;+1;=2',
    '"\n"=1',
  ])
    for (const texts of [
      [text, 'b'],
      ['b', `${text}, "c"`],
    ])
      harmless(row(texts), JSON.stringify(texts));
  fc.assert(
    fc.property(rows, (of) => {
      for (const texts of of) harmless(row([...texts]), JSON.stringify(texts));
    }),
    { numRuns: 300 },
  );
  assert.equal(row(['a; b - c', 'a-b;c=d\te\n']), 'a; b - c,"a-b;c=d\te\n"\r\n');
});

/** An apostrophe before what begins like a formula within a text, by its characters. */
function escapeInside(text: string): string {
  let escaped = '';
  let begins = false;
  for (const character of text) {
    if (begins && '=+-@＝＋－＠'.includes(character)) escaped += "'";
    begins = ';\t\r\n'.includes(character) || (begins && character === '"');
    escaped += character;
  }
  return escaped;
}

test('a negative number stays a number in CSV, and null becomes an empty cell', () => {
  const { head, row } = csvLayout([
    { name: '=name', type: 'text' },
    { name: 'n', type: 'number' },
  ]);
  assert.equal(head, "'=name,n\r\n");
  assert.equal(row(['-1', '-1']), "'-1,-1\r\n");
  assert.equal(row(['', null]), ',\r\n');
});

test('a row of a sheet has the escaped texts, and no character of them has a special meaning', () => {
  const { row } = sheetLayout(TEXTS);
  const unescaped = (xml: string) =>
    xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  fc.assert(
    fc.property(rows, (of) => {
      for (const texts of of) {
        const xml = row(texts);
        const cells = [...xml.matchAll(/<c t="inlineStr"><is>(.*?)<\/is><\/c>/gsu)];
        const runs = cells.map(([, content = '']) => [...content.matchAll(/<t([^>]*)>([^<]*)<\/t>/gsu)]);
        assert.deepEqual(
          runs.map((of) => of.map(([, , text = '']) => unescaped(text)).join('')),
          texts,
        );
        for (const [, attributes = '', text = ''] of runs.flat()) {
          assert.doesNotMatch(text, /_x[0-9A-Fa-f]{4}_/);
          if (text.trim() !== text) assert.match(attributes, /xml:space="preserve"/);
        }
      }
    }),
    { numRuns: 300 },
  );
  const number = sheetLayout([{ name: 'n', type: 'number' }]);
  assert.equal(number.row(['7']) + number.row([null]), '<row><c><v>7</v></c></row><row><c/></row>');
});

test('a line of JSON has every value in the type of its column, and metadata in a nested object', () => {
  const { row } = jsonlLayout([
    ...TEXTS,
    { name: 'count', type: 'number', within: 'metadata' },
    { name: 'tags', type: 'json', within: 'metadata' },
    { name: 'model', type: 'text', within: 'metadata' },
  ]);
  fc.assert(
    fc.property(rows, (of) => {
      for (const [one, two] of of) {
        const line = row([one, two, '7', '["a"]', null]);
        assert.equal(line.indexOf('\n'), line.length - 1);
        const metadata = { count: 7, tags: ['a'], model: null };
        assert.deepEqual(JSON.parse(line), { one, two, metadata });
      }
    }),
  );
});

test('a text is truncated to the length of a cell, between two characters', () => {
  const max = MAX_CELL_LENGTH;
  assert.equal(plainText('a'.repeat(max + 1)), 'a'.repeat(max));
  assert.equal(plainText(`${'a'.repeat(max - 1)}🛶`), 'a'.repeat(max - 1));
  assert.equal(plainText('🛶'.repeat(max)), '🛶'.repeat(max >> 1));
  assert.equal(plainText('🛶'.repeat(max >> 1)), '🛶'.repeat(max >> 1));
});

test('every format can be used by an export, and each file format has its own extension', () => {
  for (const name of EXPORT_FORMATS) assert.ok(Object.keys(formatOf(name).maxRecords).length > 0, name);
  const extensions = EXPORT_FORMATS.map((name) => formatOf(name).file?.extension);
  assert.equal(new Set(extensions).size, extensions.length);
  assert.throws(() => formatOf('constructor'), /no format/);
});
