import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marginLine, marginRows, runningLines } from '../../../packages/reader/src/layout/running-lines.ts';
import { toSegments } from '../../../packages/reader/src/layout/segments.ts';
import { isSameLine, pageLine } from 'darkroom-reader/document';
import { pageOf, run } from '../../support/text-runs.ts';

const BODY = { size: 10, bold: false };

type Look = NonNullable<Parameters<typeof run>[3]>;

/**
 * The words of the running lines of pages with these lines at the top; null stands for a page without one.
 */
function running(tops: readonly (string | null)[], look: Look = {}, first = 1): string[] {
  const pages = tops.map((top, at) => {
    const { runs, height } = pageOf(top === null ? [] : [run(top, 60, 45, look)]);
    return marginRows(toSegments(runs), height).flatMap(
      (row) => marginLine(row, BODY, { number: first + at, height }) ?? [],
    );
  });
  return runningLines(pages).map(({ words }) => words);
}
const times = (count: number, top: (page: number) => string | null): (string | null)[] =>
  Array.from({ length: count }, (_, at) => top(at + 1));

test('a running line occurs on more than half of at least four pages', () => {
  const title = () => 'Annual report';
  assert.deepEqual(running(times(4, title)), ['Annual report']);
  assert.deepEqual(running(times(3, title)), []);
  assert.deepEqual(running(['Annual report', null, 'Annual report', 'Annual report']), ['Annual report']);
  assert.deepEqual(running(times(9, (page) => (page % 2 === 0 ? 'Annual report' : null))), ['Annual report']);
  assert.deepEqual(running(times(9, (page) => (page % 3 === 0 ? 'Annual report' : null))), []);
  assert.deepEqual(running(times(2, () => 'Invoice 4711')), []);
});

test('numbers in a running line increase with the page or are constant', () => {
  assert.deepEqual(running(times(5, (page) => `Page ${page} of 9`)), ['Page # of #']);
  assert.deepEqual(running(times(5, (page) => `${page + 12}`)), ['#']);
  assert.deepEqual(running(times(5, (page) => ['iii', 'iv', 'v', 'vi', 'vii'][page - 1] ?? '')), ['#']);
  assert.deepEqual(running(times(5, (page) => ['٣', '٤', '٥', '٦', '٧'][page - 1] ?? '')), ['#']);
  assert.deepEqual(running(times(6, (page) => `Chapter 3: Care   ${page + 40}`)), ['Chapter 3: Care #']);
  for (const other of [
    (page: number) => `Depth ${page * 7} m`,
    (page: number) => `Invoice 2026-00${page}`,
    (page: number) => `Invoice ${470_000 + page}`,
    (page: number) => `Invoice A${page}`,
  ])
    assert.deepEqual(running(times(6, other)), [], other(1));
});

test('headings are not running lines', () => {
  assert.deepEqual(running(times(6, (page) => `Chapter ${page}`)), []);
  assert.deepEqual(running(times(6, (page) => `Kapitel ${page}: Pflege`)), []);
  assert.deepEqual(
    running(
      times(6, () => 'Results'),
      { size: 14 },
    ),
    [],
  );
  assert.deepEqual(
    running(
      times(6, (page) => `Exercise ${page}`),
      { bold: true },
    ),
    [],
  );
  assert.deepEqual(
    running(
      times(6, (page) => `Page ${page}`),
      { bold: true },
    ),
    ['Page #'],
  );
  assert.deepEqual(
    running(
      times(6, () => 'Results'),
      { bold: true },
    ),
    ['Results'],
  );
  assert.deepEqual(
    running(
      times(6, (page) => `${page}`),
      { size: 14 },
    ),
    ['#'],
  );
});

test('in a long document, a line runs where the sampled pages have it', () => {
  const looked = [1, 2, 17, 18, 33, 34, 49, 50];
  const words = (lineOf: (page: number) => string) =>
    runningLines(looked.map((number) => [{ ...pageLine(lineOf(number), number), y: 0.05 }])).map(
      (line) => line.words,
    );
  assert.deepEqual(
    words((page) => (page > 16 ? 'Part two' : 'Part one')),
    ['Part two'],
  );
  assert.deepEqual(
    words((page) => (page === 17 || page === 33 ? 'end' : `${page * 7} m`)),
    [],
  );
  assert.deepEqual(
    words((page) => (page === 17 || page === 33 ? `Strings ${page + 12}` : `${page * 7} m`)),
    ['Strings #'],
  );
});

test('lines at different heights are different lines', () => {
  const lines = Array.from({ length: 8 }, (_, at) => [
    { ...pageLine('Total', at + 1), y: 0.02 + at * 0.013 },
  ]);
  assert.deepEqual(runningLines(lines), []);
});

test('lines of two pages are equal except for their page numbers', () => {
  const cases: [one: string, other: string, same: boolean][] = [
    ['Page 3 of 9', 'Page 5 of 9', true],
    ['Page 3 of 9', 'Page 4 of 9', false],
    ['3 | 3', '5 | 5', true],
    ['xii', 'xiv', true],
    ['Release 6.0', 'Release 6.0', true],
    ['Release 6.0', 'Release 6.1', false],
    ['Part 3', 'Part 5', false],
    ['A3', 'A5', false],
  ];
  for (const [one, other, same] of cases)
    assert.equal(isSameLine(pageLine(one, 3), pageLine(other, 5)), same, `${one}, ${other}`);
});
