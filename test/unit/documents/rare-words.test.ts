import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { weighWords, type CountedWord } from '../../../domain/search.ts';

const word = (lexeme: string, place: number, found: number, dictionary = 'english'): CountedWord => ({
  dictionary,
  place,
  lexeme,
  found,
});
const sought = (words: readonly CountedWord[], enough: number) =>
  weighWords(words, 10_000, enough)
    .filter((each) => each.sought)
    .map(({ lexeme }) => lexeme);

test('a search uses the rarest words until enough texts contain them', () => {
  const words = [
    word('pump', 1, 900),
    word('warranti', 2, 30),
    word('page', 3, 2000),
    word('report', 4, 1500),
  ];
  assert.deepEqual(sought(words, 500), ['pump', 'warranti']);
  assert.deepEqual(sought(words, 30), ['warranti']);
  assert.deepEqual(sought(words, 10_000), ['pump', 'warranti', 'page', 'report']);
});

test('the rarity of a word is counted over all dictionaries', () => {
  const words = [word('pump', 1, 1), word('pumpe', 1, 999, 'german'), word('garden', 2, 500)];
  const weights = new Map(weighWords(words, 10_000, 1).map(({ lexeme, weight }) => [lexeme, weight]));
  assert.equal(weights.get('pump'), weights.get('pumpe'));
  assert.ok((weights.get('pump') ?? NaN) < (weights.get('garden') ?? NaN));
  assert.deepEqual(sought(words, 1), ['garden']);
});

test('words in no text have no weight, and words in some text always find one', () => {
  const counted = fc.record({
    dictionary: fc.constantFrom('english', 'german', 'simple'),
    place: fc.integer({ min: 1, max: 4 }),
    lexeme: fc.string({ minLength: 1 }),
    found: fc.integer({ min: 0, max: 2000 }),
  });
  fc.assert(
    fc.property(fc.array(counted), fc.integer({ min: 1, max: 3000 }), (words, enough) => {
      const weighed = weighWords(words, 20_000, enough);
      assert.equal(weighed.length, words.filter(({ found }) => found > 0).length);
      assert.ok(weighed.every(({ weight }) => weight > 0));
      assert.equal(
        weighed.some((each) => each.sought),
        weighed.length > 0,
      );
    }),
  );
});
