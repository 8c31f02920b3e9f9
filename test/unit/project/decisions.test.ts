import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

/** The folder of all decisions and their index. Other pages and the code refer to decisions by number. */
const FOLDER = 'docs/decisions/archive';
/** The folder of the pages that must be known today, and of their index. */
const LIVE = 'docs/decisions';
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const index = read(`${FOLDER}/README.md`);

/** The numbers in a list such as `1–3, 7`. */
function numbersOf(list: string): number[] {
  return list.split(', ').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_none, at) => first + at);
  });
}

const replaced = Array.from(
  index.matchAll(/^\| (\d+) +\|.*\| ([\d, and]+?) +\|$/gm),
  ([, number, by = '']) => ({
    number: Number(number),
    by: Array.from(by.matchAll(/\d+/g), ([match]) => Number(match)),
  }),
);

const pagesOf = (folder: string) =>
  globSync('*.md', { cwd: join(PROJECT_ROOT, folder) })
    .filter((page) => page !== 'README.md')
    .toSorted();
const linkedFrom = (markdown: string) =>
  Array.from(markdown.matchAll(/\]\(([\w-]+\.md)\)/g), ([, page]) => page).toSorted();

const numbers = pagesOf(FOLDER).flatMap((page) =>
  Array.from(read(`${FOLDER}/${page}`).matchAll(/^## (\d+)\. /gm), ([, number]) => Number(number)),
);
const inForce = new Set(numbers);

test('the index lists the pages', () => {
  assert.deepEqual(pagesOf(FOLDER), linkedFrom(index));
});

test('no number is given twice', () => {
  const all = [...numbers, ...replaced.map(({ number }) => number)].toSorted((a, b) => a - b);
  assert.deepEqual(all, [...new Set(all)]);
});

test('references and replacements refer only to decisions in force', () => {
  const references = globSync(
    [
      '*.md',
      'docs/**/*.md',
      '{api,activities,adapters,cli,db,domain,engines,packages,services,temporal,worker,workflows}/**/*.ts',
    ],
    {
      cwd: PROJECT_ROOT,
    },
  ).flatMap((path) =>
    Array.from(read(path).matchAll(/[Dd]ecisions? (\d+)/g), ([, number]) => ({ path, by: [Number(number)] })),
  );
  const broken = [...references, ...replaced].filter(({ by }) => by.some((number) => !inForce.has(number)));
  assert.deepEqual(broken, []);
});

test('live pages are listed, short, and name decisions in force', () => {
  assert.deepEqual(pagesOf(LIVE), linkedFrom(read(`${LIVE}/README.md`)));
  for (const page of pagesOf(LIVE)) {
    const markdown = read(`${LIVE}/${page}`);
    assert.ok(markdown.split(/\s+/).length <= 600, `${page} has more than 600 words`);
    assert.doesNotMatch(markdown, /^## .*[^)\n]$/m, `a section of ${page} names no decision`);
    const broken = Array.from(markdown.matchAll(/\(([\d–, ]+)\)/g), ([, list = '']) => list).filter(
      (list) => !numbersOf(list).every((number) => inForce.has(number)),
    );
    assert.deepEqual(broken, [], page);
  }
});
