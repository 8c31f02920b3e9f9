import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readElements } from '../../../db/entities/documents/page-elements.ts';
import { shown } from '../../support/elements.ts';

type Stored = Parameters<typeof readElements>[0];

/** Elements of pages as 0.1.0 has stored them: of an HTML file, a scan, a web page and a Markdown file. */
const SAVED = JSON.parse(
  readFileSync(new URL('elements-0.1.0.json', import.meta.url), 'utf8'),
) as (Stored[number] & { content: string; metadata: object })[];

for (const [at, saved] of SAVED.entries())
  test(`a stored ${saved.type} of 0.1.0 is shown as it was (${at + 1})`, () => {
    const [element] = shown(readElements([saved]));
    assert.equal(element?.content, saved.content);
    assert.partialDeepStrictEqual(element.metadata, saved.metadata);
    assert.deepEqual(element.box, saved.box);
  });

test('the cells of a stored table of 0.1.0 are those that its document has', () => {
  const tables = readElements(SAVED).flatMap((element) => (element.type === 'table' ? [element.rows] : []));
  assert.deepEqual(tables, [
    [
      ['Name', 'Size', 'Size'],
      ['Name', 'A', ''],
      ['x|y', 'C:\\tmp', '2 3'],
    ],
    [['1', '2']],
    [
      ['Part', 'Weight'],
      ['Pump', '4'],
    ],
    [
      ['lamp', 'watt'],
      ['a|b', '60'],
    ],
  ]);
});

test('elements that are stored today are read as they are', () => {
  const today = readElements(SAVED);
  assert.deepEqual(readElements(JSON.parse(JSON.stringify(today)) as Stored), today);
});
