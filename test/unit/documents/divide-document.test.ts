import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageContent } from '../../../domain/documents/page.ts';
import { divide, divideDocument } from '../../../services/documents/divide-document.ts';

const WORDS = 'The pump is delivered with a warranty of two years against faults of material. ';

/** A page of one line. */
function page(characters: number): PageContent {
  const content = WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters);
  const box = { xMin: 0, yMin: 0, xMax: 1, yMax: 1 };
  return {
    pageNumber: 1,
    source: 'document',
    elements: [{ type: 'paragraph', content, boundingBox: box, readingOrder: 0, metadata: {} }],
  } as unknown as PageContent;
}
const of = (characters: number) => ({ fileId: 'file', pages: [page(characters)], language: 'en' });

test('a long document is divided as a short one, and the process goes on meanwhile', async () => {
  const long = of(300_000);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const chunks = await divideDocument(long, AbortSignal.timeout(60_000));
  clearInterval(timer);
  assert.ok(turns > 1, 'nothing else had a turn');
  assert.deepEqual(chunks, divide(long));
  assert.deepEqual(await divideDocument(of(500), AbortSignal.timeout(60_000)), divide(of(500)));
});

test('the division of a long document ends with its attempt', async () => {
  const stop = new AbortController();
  const dividing = divideDocument(of(5_000_000), stop.signal);
  stop.abort(new Error('cancelled'));
  await assert.rejects(dividing, /cancelled/);
});
