import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

/** The folder of the decisions and their index. Other pages and the code refer to decisions by number. */
const FOLDER = 'docs/decisions';
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const index = read(`${FOLDER}/README.md`);

/** The numbers in a list such as `1–3, 7`. */
function numbersOf(list: string): number[] {
  return list.split(', ').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_none, at) => first + at);
  });
}

const listed = new Map(
  Array.from(
    index.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\) +\|.*\| ([\d–, ]+?) +\|$/gm),
    ([, page = '', list = '']) => [page, numbersOf(list)],
  ),
);
const replaced = Array.from(
  index.matchAll(/^\| (\d+) +\|.*\| ([\d, and]+?) +\|$/gm),
  ([, number, by = '']) => ({
    number: Number(number),
    by: Array.from(by.matchAll(/\d+/g), ([match]) => Number(match)),
  }),
);
const inForce = new Set([...listed.values()].flat());

test('the index lists the decisions of each page, in order', () => {
  const pages = globSync('*.md', { cwd: join(PROJECT_ROOT, FOLDER) }).filter((page) => page !== 'README.md');
  assert.deepEqual(pages.toSorted(), [...listed.keys()].toSorted());
  for (const [page, numbers] of listed) {
    const headings = Array.from(read(`${FOLDER}/${page}`).matchAll(/^## (\d+)\. /gm), ([, number]) =>
      Number(number),
    );
    assert.deepEqual(headings, numbers, page);
  }
});

test('no number is given twice', () => {
  const all = [...[...listed.values()].flat(), ...replaced.map(({ number }) => number)].toSorted(
    (a, b) => a - b,
  );
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
