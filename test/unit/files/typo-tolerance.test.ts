import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toleratesTypos } from '../../../domain/search.ts';

const pairs = Array.from({ length: 330 }, (_, index) => 'abcdefghij'[index % 10] + 'xyz'.charAt(index % 3));

const SEARCHES: [string, string, boolean][] = [
  ['a misspelt word', 'quarzite', true],
  ['eight words of 64 characters', Array(8).fill('brigdes').join(' ').padEnd(64, 'x'), true],
  ['a word too short', 'cat', false],
  ['a quoted word', '"quarzite"', false],
  ['nine words', pairs.slice(0, 9).join(' '), false],
  ['nine words between punctuation', pairs.slice(0, 9).join('.'), false],
  ['330 words', pairs.join(' '), false],
  ['65 characters', 'x'.repeat(65), false],
  ['few characters that normalise to many', '\ufdfa'.repeat(4), false],
];

for (const [what, search, tolerated] of SEARCHES) {
  test(`typos in ${what} are ${tolerated ? '' : 'not '}tolerated`, () => {
    assert.equal(toleratesTypos(search), tolerated);
  });
}
