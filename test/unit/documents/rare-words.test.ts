import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fuseScores,
  idealScore,
  weighWords,
  type CountedWord,
  type WeighedWord,
} from '../../../domain/search.ts';

const word = (lexeme: string, place: number, found: number, dictionary = 'english'): CountedWord => ({
  dictionary,
  place,
  lexeme,
  found,
  likeness: 1,
});
const selecting = (how: WeighedWord['selects'], words: readonly CountedWord[], enough: number) =>
  weighWords(words, 10_000, enough)
    .filter(({ selects }) => selects === how)
    .map(({ lexeme }) => lexeme);

test('the rarest words select all texts with them until these are enough, further ones those that repeat them', () => {
  const words = [
    word('pump', 1, 900),
    word('warranti', 2, 30),
    word('page', 3, 2000),
    word('report', 4, 1500),
  ];
  assert.deepEqual(selecting('all', words, 1000), ['pump', 'warranti']);
  assert.deepEqual(selecting('repeated', words, 1000), ['page', 'report']);
  assert.deepEqual(selecting('all', words, 29), []);
  assert.deepEqual(selecting('repeated', words, 29), ['pump', 'warranti', 'report']);
  assert.deepEqual(selecting('none', words, 29), ['page']);
  assert.deepEqual(selecting('all', words, 10_000), ['pump', 'warranti', 'page', 'report']);
});

test('the rarity of a word is counted over all dictionaries', () => {
  const words = [word('pump', 1, 1), word('pumpe', 1, 999, 'german'), word('garden', 2, 500)];
  const weights = new Map(weighWords(words, 10_000, 1).map(({ lexeme, weight }) => [lexeme, weight]));
  assert.equal(weights.get('pump'), weights.get('pumpe'));
  assert.ok((weights.get('pump') ?? NaN) < (weights.get('garden') ?? NaN));
  assert.deepEqual(selecting('all', words, 500), ['garden']);
});

test('words in no text have no weight, and words in some text always find one', () => {
  const counted = fc.record({
    dictionary: fc.constantFrom('english', 'german', 'simple'),
    place: fc.integer({ min: 1, max: 4 }),
    lexeme: fc.string({ minLength: 1 }),
    found: fc.integer({ min: 0, max: 2000 }),
    likeness: fc.double({ min: 0.5, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(counted), fc.integer({ min: 1, max: 3000 }), (words, enough) => {
      const weighed = weighWords(words, 20_000, enough);
      assert.equal(weighed.length, words.filter(({ found }) => found > 0).length);
      assert.ok(weighed.every(({ weight }) => weight > 0));
      assert.equal(
        weighed.some(({ selects }) => selects !== 'none'),
        weighed.length > 0,
      );
    }),
  );
});

test('a word in more texts weighs less, even if their number was estimated too high', () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.nat(20_000), (few, many) => {
      fc.pre(few < many && few > 0);
      const [rare, common] = weighWords([word('rare', 1, few), word('common', 2, many)], 10_000, 1);
      assert.ok((rare?.weight ?? NaN) >= (common?.weight ?? NaN) && (common?.weight ?? NaN) > 0);
    }),
  );
});

test('the ideal score counts every word of a query once, and one that no text has as the rarest', () => {
  const words = [word('pump', 1, 90), word('pumpe', 1, 10, 'german'), word('zzyzx', 2, 0)];
  const weighed = weighWords(words, 1000, 500);
  const [pump] = weighed;
  assert.equal(idealScore(words, weighed, 1000), (pump?.weight ?? NaN) + Math.log(1 + 1000.5 / 0.5));
});

test('words beyond those that are scored take nothing from the ideal score', () => {
  const words = Array.from({ length: 30 }, (_, at) => word(`word${at}`, at, at + 1));
  const weighed = weighWords(words, 1000, 500);
  assert.equal(
    idealScore(words, weighed, 1000),
    weighed.reduce((sum, { weight }) => sum + weight, 0),
  );
});

test('another spelling counts by its likeness', () => {
  const [exact, near] = weighWords(
    [word('pump', 1, 10), { ...word('pomp', 2, 10), likeness: 0.5 }],
    1000,
    500,
  );
  assert.equal(near?.weight, (exact?.weight ?? NaN) / 2);
});

test('a perfect match of words outranks a list of vague similarities, and a close one outranks a single common word', () => {
  const vague = new Map([
    ['a', 0.3],
    ['b', 0.31],
    ['c', 0.32],
  ]);
  const ranked = (byWords: { id: string; score: number }[], similarities: Map<string, number | null>) =>
    fuseScores(byWords, { similarities, unrelated: 0.05, weight: 2 }).map(({ id }) => id);
  assert.deepEqual(ranked([{ id: 'exact', score: 1 }], vague)[0], 'exact');
  assert.deepEqual(ranked([{ id: 'word', score: 0.2 }], new Map([['close', 0.7]])), ['close', 'word']);
  assert.deepEqual(ranked([{ id: 'new', score: 0.5 }], new Map([['new', null]])), ['new']);
});

test('scores lie between 0 and 1 but for texts that repeat the words, and unrelated texts score nothing', () => {
  const similarity = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      similarity,
      similarity,
      fc.double({ min: 0, max: 0.95, noNaN: true }),
      (words, near, unrelated) => {
        const [hit] = fuseScores([{ id: 'a', score: words }], {
          similarities: new Map([['a', near]]),
          unrelated,
          weight: 2,
        });
        assert.ok(hit && hit.score >= 0 && hit.score <= 1 + 1e-9);
        if (near <= unrelated) assert.ok(Math.abs(hit.score - words / 3) < 1e-9);
      },
    ),
  );
});
