import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Passage } from '../../../domain/ask/answer.ts';
import { bestSentences } from '../../../engines/text-work/ask/best-sentences.ts';
import { readPassages } from '../../../engines/text-work/ask/place-quote.ts';
import { checkSentence } from '../../../engines/text-work/ask/support.ts';
import { markdownOf } from '../../../domain/documents/markdown.ts';
import { tableElement } from '../../support/elements.ts';

const TABLE = tableElement(['Part', 'Price'], ['Hose X|Y', '12 €'], ['Seal', '4 €']);
const PASSAGE: Passage = {
  chunkId: 'chunk',
  documentId: 'manual',
  filename: 'manual.pdf',
  headingPath: [],
  pageNumbers: [1],
  text: `These are the spare parts of the pump and their prices.\n\n${markdownOf(TABLE)}`,
  similarity: null,
};
const page = { documentId: 'manual', pageNumber: 1, elements: [TABLE] };
const passages = readPassages({ passages: [PASSAGE], pages: [page, { ...page, pageNumber: 2 }] });
const says = (text: string, quote: string) =>
  checkSentence({ text, quotes: [{ passage: 1, quote }] }, passages);

test('a cell with a bar is one cell of its row', () => {
  const { supported, quotes } = says('The price of hose X|Y is 12 €.', 'Hose X|Y');
  assert.equal(supported, true);
  assert.deepEqual(quotes, [{ passage: 0, text: String.raw`| Hose X\|Y | 12 € |` }]);
});

test('a row is supported as it is written, and no other', () => {
  assert.equal(says(String.raw`| Hose X\|Y | 12 € |`, '12 €').supported, true);
  assert.equal(says(String.raw`| Hose X\|Y | 4 € |`, '12 €').supported, false);
});

test('a row answers a question, with the header of its table', () => {
  const [best] = bestSentences('What is the price of a seal?', passages);
  assert.equal(best?.text, '| Seal | 4 € |');
});
