import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadableDocument } from '../../../../adapters/document-reader/document-reader.ts';
import { flowDocument } from '../../../../adapters/document-reader/flow/flow-document.ts';
import { LIMITS } from '../../../../adapters/document-reader/limits.ts';
import { textElements } from '../../../../adapters/document-reader/text/text-elements.ts';

const ofText = (text: string) => flowDocument({ pages: text.split('\f').map(textElements) });
const refusedFor = (reason: string) => (error: unknown) =>
  error instanceof UnreadableDocument && error.reason === reason;

test('a document without its own page breaks is limited to the same number of pages', async () => {
  const most = await ofText('x\f'.repeat(LIMITS.pages)).inspect();
  assert.equal(most.pageCount, LIMITS.pages);
  assert.throws(() => ofText('x\f'.repeat(LIMITS.pages + 1)), refusedFor('too_many_pages'));
  assert.throws(() => ofText('x\f'.repeat(30_000)), refusedFor('too_many_pages'));
});

test('blank pages are not counted, however many there are', async () => {
  const blank = ['\f', ' \t\n\f', '\u00a0\f', '\u200b\u2060\f'].map((page) => page.repeat(15_000)).join('');
  assert.throws(() => ofText(blank), refusedFor('empty'));
  const { pageCount } = await ofText(`one${blank}two`).inspect();
  assert.equal(pageCount, 2);
});

test('a page with only an image is counted', async () => {
  const image = { type: 'figure', content: '', metadata: {} } as const;
  const { pageCount } = await flowDocument({ pages: [[image], [], [image]] }).inspect();
  assert.equal(pageCount, 2);
});

test('pages that share their text are limited by what they have together', () => {
  const shared = { type: 'paragraph', content: 'x'.repeat(1_000_000), metadata: {} } as const;
  const pages = (count: number) => flowDocument({ pages: Array.from({ length: count }, () => [shared]) });
  assert.equal(pages(100).pageCount, 100);
  assert.throws(() => pages(101), refusedFor('too_large'));
});
