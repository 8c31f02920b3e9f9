import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SLUG, slugOf } from '../../../domain/folders/slug.ts';
import { MAX_SLUG_LENGTH } from '../../../domain/limits.ts';
import { folderName } from '../../../domain/schemas/text.ts';

test('a slug is made from the words of a name, with a number if it is taken', () => {
  const none = new Set<string>();
  assert.equal(slugOf('Harbour Survey 2026', none), 'harbour-survey-2026');
  assert.equal(slugOf('  Café Zürich! ', none), 'cafe-zurich');
  assert.equal(slugOf('港', none), 'project');
  assert.equal(slugOf('Quay', new Set(['quay', 'quay-2'])), 'quay-3');
});

test('every name has a valid slug that is not taken', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 90 }), { maxLength: 30 }), (names) => {
      const taken = new Set<string>();
      for (const name of [...names, ...names]) {
        const slug = slugOf(name, taken);
        assert.ok(SLUG.test(slug) && slug.length <= MAX_SLUG_LENGTH, slug);
        assert.ok(!taken.has(slug));
        taken.add(slug);
      }
    }),
  );
});

test('names are trimmed and in NFC', () => {
  assert.equal(folderName.parse('  Cafe\u0301 '), 'Caf\u00e9');
  assert.equal(folderName.parse('x'.repeat(255)).length, 255);
});

for (const [what, name] of [
  ['nothing', ''],
  ['only spaces', '  \u00a0 '],
  ['only invisible characters', '\u200b\u2060'],
  ['a slash', 'a/b'],
  ['a line break', 'a\nb'],
  ['a tab', 'a\tb'],
  ['a C1 control character', 'a\u0085b'],
  ['256 characters', 'x'.repeat(256)],
] as const) {
  test(`a name of ${what} is rejected`, () => {
    assert.equal(folderName.safeParse(name).success, false);
  });
}

test('an accepted name is accepted again unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (given) => {
      const { data: name } = folderName.safeParse(given);
      if (name === undefined) return;
      assert.equal(folderName.parse(name), name);
      assert.equal(name, name.normalize('NFC'));
    }),
  );
});
