import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeLine, escapeText, markdownDocument } from '../../../api/resources/file/markdown-document.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';

const markup = fc.string({
  unit: fc.constantFrom(...'ab1 .)-+=#>|`*_[]()<&~!\\\n\r\t$', 'é'),
  maxLength: 40,
});
const unescaped = (text: string) => text.replaceAll(/\\(?=[!-/:-@[-`{-~])(.)/g, '$1');
const collapsed = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

test('escaped text renders as written, on one line', () => {
  fc.assert(
    fc.property(fc.oneof(markup, fc.string()), (text) => {
      assert.equal(unescaped(escapeLine(text)), collapsed(text));
      assert.doesNotMatch(escapeLine(text), /[\r\n]/);
    }),
  );
});

test('every markup character is escaped, and no line starts a block', () => {
  fc.assert(
    fc.property(fc.oneof(markup, fc.string()), (text) => {
      const bare = escapeText(text).replaceAll(/\\[!-/:-@[-`{-~]/g, '');
      assert.doesNotMatch(bare, /[\\`*_{}[\]<>#|~&$]/);
      for (const line of escapeText(text).split('\n')) {
        assert.doesNotMatch(line, /^(\s|[-+=>#|]|\d+[.)])/);
      }
      assert.doesNotMatch(escapeText(text), /\n{3}/);
    }),
  );
});

const file = (given: Partial<StoredFile>) =>
  ({
    id: 'f',
    title: null,
    filename: 'a.png',
    tags: [],
    contentType: 'image/png',
    sizeBytes: 7,
    contentCategory: 'general',
    userDescription: null,
    uploadDescription: null,
    visibleText: null,
    createdAt: new Date('2026-01-02T03:04:05Z'),
    ...given,
  }) as StoredFile;

test('a file without results is rendered as well', () => {
  assert.equal(
    markdownDocument(file({}), null, 'pending'),
    '# a.png\n\n## Facts\n\n| | |\n| --- | --- |\n| File | a.png |\n| Type | image/png, 7 bytes |\n' +
      '| Category | general |\n| Uploaded | 2026-01-02T03:04:05.000Z |\n| Status | pending |\n| Id | f |\n',
  );
});

test("the user's description replaces the model's", () => {
  const both = markdownDocument(
    file({ userDescription: 'Mine', uploadDescription: 'Theirs' }),
    null,
    'completed',
  );
  assert.match(both, /\n\nMine\n\n/);
  assert.doesNotMatch(both, /Theirs/);
  assert.match(markdownDocument(file({ uploadDescription: 'Theirs' }), null, 'completed'), /\n\nTheirs\n\n/);
});

test('visible text cannot break out of its code fence', () => {
  fc.assert(
    fc.property(markup, (shown) => {
      const visibleText = `a\n${shown}\n\`\`\`\`\nb`;
      const document = markdownDocument(file({ visibleText }), null, 'completed');
      const [, fence = ''] = /## Visible text\n\n(`+)text\n/.exec(document) ?? [];
      const runs = [...visibleText.matchAll(/`+/g)].map(([run]) => run.length);
      assert.ok(fence.length > Math.max(...runs));
      assert.equal(document.split(fence).length, 3);
    }),
  );
});
