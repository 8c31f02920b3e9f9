import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanFilename } from '../../../domain/text.ts';

const TABLE: [string | undefined, string][] = [
  ['photo.jpg', 'photo.jpg'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\images\\cat.png', 'cat.png'],
  ['a\r\nb\0c.png', 'abc.png'],
  ['safe\u202Egpj.exe', 'safegpj.exe'],
  ['e\u0301.png', '\u00e9.png'],
  ['', 'unnamed'],
  [undefined, 'unnamed'],
  ['say %22hi%22%0D%0A.png', 'say "hi".png'],
  ['..', 'unnamed'],
];
for (const [given, kept] of TABLE) {
  test(`keeps ${JSON.stringify(given)} as ${JSON.stringify(kept)}`, () =>
    assert.equal(cleanFilename(given), kept));
}

test('any file name becomes short and printable, and contains no path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (given) => {
      const name = cleanFilename(given);
      assert.ok(name.length > 0 && [...name].length <= 255);
      assert.doesNotMatch(name, /[/\\\p{Cc}\p{Cf}]/u);
    }),
  );
});
