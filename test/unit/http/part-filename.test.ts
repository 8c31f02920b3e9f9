import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partFilename, withPlainFilename } from '../../../api/multipart/part-filename.ts';
import { filenameOf } from '../../../domain/text.ts';

const binary = (text: string) => Buffer.from(text).toString('latin1');
const TABLE: [what: string, parameters: string, name: string | undefined][] = [
  ['no name', '', undefined],
  ['an empty one', '; filename=""', ''],
  ['quotes', '; filename="a b.jpg"', 'a b.jpg'],
  ['no quotes', '; filename=a.jpg', 'a.jpg'],
  ['UTF-8', binary('; filename="歌 ü.jpg"'), '歌 ü.jpg'],
  ['Latin-1', '; filename="Gr\u00fc\u00dfe.jpg"', 'Grüße.jpg'],
  ['Windows-1252', '; filename="5 \u0080.jpg"', '5 €.jpg'],
  ['escaped quotes', String.raw`; filename="say \"hi\".jpg"`, 'say "hi".jpg'],
  ['a path of Windows', String.raw`; filename="C:\pictures\a.jpg"`, String.raw`C:\pictures\a.jpg`],
  ['a semicolon in quotes', '; filename="a; filename=b.jpg"', 'a; filename=b.jpg'],
  ['RFC 5987', "; filename*=UTF-8''%E6%AD%8C%20%C3%BC.jpg", '歌 ü.jpg'],
  ['RFC 5987 after a plain name', '; filename="x.jpg"; filename*=utf-8\'\'%C3%BC.jpg', 'ü.jpg'],
  ['RFC 5987 before a plain name', '; filename*=utf-8\'de\'%C3%BC.jpg; filename="x.jpg"', 'ü.jpg'],
  ['RFC 5987 in quotes', '; filename=x.jpg; filename*="utf-8\'\'%C3%BC.jpg"', 'ü.jpg'],
  ['RFC 5987 in Latin-1', "; filename*=ISO-8859-1''%FC.jpg", 'ü.jpg'],
  ['RFC 5987 in Shift_JIS', "; filename*=shift_jis''%89%CC.jpg", '歌.jpg'],
  ['RFC 5987 with wrong bytes', "; filename*=UTF-8''%FC.jpg; filename=x.jpg", 'x.jpg'],
  ['RFC 5987 in an unknown encoding', "; filename*=klingon''%FC.jpg; filename=x.jpg", 'x.jpg'],
  ['an encoded word', '; filename="=?utf-8?B?5q2MIMO8LmpwZw==?="', '歌 ü.jpg'],
  ['encoded words in quotes of e-mail', '; filename="=?utf-8?Q?a=C3=BC_?= =?utf-8?Q?b.jpg?="', 'aü b.jpg'],
  ['other cases and spaces', ';FileName = "a.jpg"', 'a.jpg'],
];

for (const [what, parameters, name] of TABLE) {
  test(`the file name of a part with ${what}`, () => {
    for (const first of ['form-data; name="file"', 'form-data; name=file', `form-data`]) {
      assert.equal(partFilename(first + parameters), name);
      assert.equal(partFilename(withPlainFilename(first + parameters)), name);
    }
  });
}

test('any header is read without throwing, and its file name twice alike', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
      const name = partFilename(withPlainFilename(text));
      assert.equal(name, partFilename(text)?.replaceAll(/\p{Cc}/gu, ''));
    }),
  );
});

test('the file name of a URL is decoded as UTF-8, else as Windows-1252', () => {
  assert.equal(filenameOf('https://a.example/b/Gr%C3%BC%C3%9Fe.jpg?c'), 'Grüße.jpg');
  assert.equal(filenameOf('https://a.example/Gr%FC%DFe.jpg'), 'Grüße.jpg');
  assert.equal(filenameOf('https://a.example/100%.jpg'), '100%.jpg');
});
