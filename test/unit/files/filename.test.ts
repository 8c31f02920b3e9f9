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
  [
    '\u{1F469}\u200D\u{1F4BB} \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645.jpg',
    '\u{1F469}\u200D\u{1F4BB} \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645.jpg',
  ],
  [
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.png',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.png',
  ],
  ['a\u{E0041}b.png', 'ab.png'],
  ['\u0915\u094D\u200D\u0937.pdf', '\u0915\u094D\u200D\u0937.pdf'],
  ['\u0600\u0661.pdf', '\u0600\u0661.pdf'],
  ['\u2067abc\u2069\u200F\u061C.pdf', 'abc.pdf'],
  ['\u200D\u200C', 'unnamed'],
  ['\uFEFFa\u00AD\u200Bb.png', 'ab.png'],
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
      assert.doesNotMatch(name, /[/\\\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      assert.match(name, /[^\p{Z}\p{C}]/u);
    }),
  );
});
