import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { searchTerms } from '../../../domain/search/search-terms.ts';

test('words, phrases in straight and in curly quotes', () => {
  assert.deepEqual(searchTerms('red "old  bridge" “by night”'), ['red', 'old  bridge', 'by night']);
  assert.deepEqual(searchTerms('a"b c"d'), ['a', 'b c', 'd']);
  assert.deepEqual(searchTerms('"never closed'), ['never closed']);
});

test('repeated words count once, signs not at all', () => {
  assert.deepEqual(searchTerms('cat CAT cat - ! "" "?" 7'), ['cat', 'CAT', '7']);
  assert.deepEqual(searchTerms('—'), []);
  assert.deepEqual(searchTerms('東京 ночь'), ['東京', 'ночь']);
});

test('any text gives few terms, each of it and each with a letter or digit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 1000 }), (search) => {
      const terms = searchTerms(search);
      assert.ok(terms.length <= 16);
      for (const term of terms) assert.ok(search.includes(term) && /[\p{L}\p{N}]/u.test(term));
    }),
  );
});
