import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { searchTerms } from '../../../domain/search.ts';

test('a query is split into words and phrases in straight or curly quotes', () => {
  assert.deepEqual(searchTerms('red "old  bridge" “by night”'), ['red', 'old  bridge', 'by night']);
  assert.deepEqual(searchTerms('a"b c"d'), ['a', 'b c', 'd']);
  assert.deepEqual(searchTerms('"never closed'), ['never closed']);
  assert.deepEqual(searchTerms('„alter Turm“ « la mer » »am See«'), ['alter Turm', 'la mer', 'am See']);
});

test('repeated words count once, punctuation is ignored', () => {
  assert.deepEqual(searchTerms('cat CAT cat - ! "" "?" 7'), ['cat', 'CAT', '7']);
  assert.deepEqual(searchTerms('—'), []);
  assert.deepEqual(searchTerms('東京 ночь'), ['東京', 'ночь']);
});

test('any text yields few terms, each a substring of it with a letter or digit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 1000 }), (search) => {
      const terms = searchTerms(search);
      assert.ok(terms.length <= 16);
      for (const term of terms) assert.ok(search.includes(term) && /[\p{L}\p{N}]/u.test(term));
    }),
  );
});
