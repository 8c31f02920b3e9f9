import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from 'darkroom-reader/document';
import { UnreadableDocument } from '../../../packages/reader/src/opened-document.ts';
import { flowDocument } from '../../../packages/reader/src/flow/flow-document.ts';
import { htmlElements } from '../../../packages/reader/src/html/html-elements.ts';
import { LIMITS } from '../../../packages/reader/src/limits.ts';
import { parseHtml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { textElements } from '../../../packages/reader/src/text/text-elements.ts';

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
  const image = { type: 'figure', content: '' } as const;
  const { pageCount } = await flowDocument({ pages: [[image], [], [image]] }).inspect();
  assert.equal(pageCount, 2);
});

test('pages that share their text are limited by what they have together', () => {
  const shared = { type: 'paragraph', content: 'x'.repeat(1_000_000) } as const;
  const pages = (count: number) => flowDocument({ pages: Array.from({ length: count }, () => [shared]) });
  assert.equal(pages(100).pageCount, 100);
  assert.throws(() => pages(101), refusedFor('too_large'));
});

test('no page is longer than one of a PDF may be: what can be divided is, and the rest is refused', async () => {
  const paragraphs = (length: number) =>
    Array.from({ length: 30 }, () => ({
      type: 'paragraph' as const,
      content: 'x'.repeat(length),
    }));
  const long = paragraphs(LIMITS.pageCharacters / 20);
  const short = paragraphs(10);
  const divided = flowDocument({ pages: [short, long] });
  const numbers = Array.from({ length: divided.pageCount }, (_, at) => at + 1);
  const [first, ...rest] = await divided.readPages({}, numbers);
  assert.equal(first?.elements.length, short.length);
  assert.equal(rest.flatMap(({ elements }) => elements).length, long.length);
  assert.throws(() => flowDocument({ pages: [short, long], numbered: true }), refusedFor('too_large'));
});

test('a text that is longer than a page may be is divided at a space, or between two characters', async () => {
  for (const content of [
    'some words '.repeat(LIMITS.pageCharacters / 5),
    '😀'.repeat(LIMITS.pageCharacters),
  ]) {
    const document = flowDocument({ pages: [[{ type: 'paragraph', content: `.${content}` }]] });
    const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
    const pages = await document.readPages({}, numbers);
    const parts = pages.flatMap(({ elements }) => elements.map(plainText));
    assert.equal(parts.join(''), `.${content}`);
    for (const part of parts) assert.ok(part.isWellFormed() && part.length <= LIMITS.pageCharacters);
    if (content.includes(' ')) assert.ok(parts.slice(1).every((part) => part.startsWith(' ')));
  }
});

test('a list that is longer than a page may be is divided between its items', async () => {
  const items = Array.from({ length: 1_000 }, (_, at) => ({
    marker: `${at}.`,
    text: 'x'.repeat(5_000),
    depth: 0,
  }));
  const document = flowDocument({ pages: [[{ type: 'list', items }]] });
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages({}, numbers);
  assert.deepEqual(
    pages.flatMap(({ elements }) =>
      elements.flatMap((element) => (element.type === 'list' ? element.items : [])),
    ),
    items,
  );
  assert.ok(document.pageCount > 2);
});

test('a table of HTML that is longer than a page may be is divided, with all of its rows', async () => {
  // A small file, since a cell repeats its text in each column that it covers.
  const row = (at: number) => `<tr><td colspan=999>some more words ${at}.</td><td>y</td></tr>`;
  const html = `<table>${Array.from({ length: 110 }, (_, at) => row(at)).join('')}</table>`;
  const document = flowDocument({ pages: [htmlElements(parseHtml(html))] });
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages({}, numbers);
  const lengths = pages.map(({ elements }) =>
    elements.reduce((sum, element) => sum + plainText(element).length, 0),
  );
  assert.ok(Math.max(...lengths) < LIMITS.pageCharacters / 10, `${Math.max(...lengths)} characters`);
  const text = pages.flatMap(({ elements }) => elements.map(plainText)).join('\n');
  for (const at of [0, 1, 50, 109]) assert.ok(text.includes(`words ${at}.`));
});
