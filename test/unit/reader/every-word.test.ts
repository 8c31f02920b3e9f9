import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openDocument } from '../../../packages/reader/src/open-document.ts';
import { settlePages } from '../../../packages/reader/src/ocr-layout/settle-pages.ts';
import { countTokens } from '../../../engines/text-work/count-tokens.ts';
import { pageLine, type PageContent } from 'darkroom-reader/document';
import { chunkPages, pageText } from '../../../domain/documents/chunking.ts';
import {
  chaptersOfAPage,
  docxOfWords,
  invoiceOfTwoPages,
  mdOfWords,
  notesAndCopies,
  pdfOfWords,
  txtOfWords,
  type DocumentOfWords,
} from '../../support/documents-with-words.ts';
import { shown } from '../../support/elements.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-words-'));
});
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function read({ type, bytes }: DocumentOfWords): Promise<PageContent[]> {
  const path = join(folder, `${++files}.${type}`);
  await writeFile(path, await bytes());
  const document = await openDocument({ path, type });
  try {
    const { pageCount, profile, pagesToRecognise } = await document.inspect();
    assert.deepEqual(pagesToRecognise, []);
    return settlePages(
      await document.readPages(
        profile,
        Array.from({ length: pageCount }, (_, at) => at + 1),
      ),
    );
  } finally {
    await document.close();
  }
}

/** Letters and digits only, because marks of tables and lists touch words. */
const bare = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function count(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const KINDS: [name: string, documents: fc.Arbitrary<DocumentOfWords>][] = [
  ['a PDF', pdfOfWords],
  ['a Word document', docxOfWords],
  ['plain text', txtOfWords],
  ['Markdown', mdOfWords],
];

for (const [name, documents] of KINDS)
  test(`every word of ${name} is in its text and, except for page numbers, in a chunk`, async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const pages = await read(document);
        const text = count(bare(pages.map(pageText).join('\n')));
        const running = pages.flatMap(({ elements, pageNumber }) =>
          shown(elements).flatMap(({ role, content }) =>
            role === undefined
              ? []
              : content.split('\n').map((line) => ({ line, ...pageLine(line, pageNumber) })),
          ),
        );
        const chunked = new Set(chunkPages(pages, countTokens).flatMap(({ content }) => bare(content)));
        const counting = new Set(running.flatMap(({ numbers }) => numbers.map(String)));
        for (const [word, times] of count(document.words.flatMap(bare))) {
          // A repeated line of a section header is read once.
          const found = text.get(word) ?? 0;
          assert.ok(
            document.type === 'pdf' ? found >= times : found > 0,
            `${word} occurs ${found} times in the text`,
          );
          assert.ok(chunked.has(word) || counting.has(word), `${word} is in no chunk`);
        }
      }),
      { numRuns: 20 },
    );
  });

const pdf = (bytes: Promise<Buffer>): Promise<PageContent[]> =>
  read({ type: 'pdf', words: [], bytes: () => bytes });

test('a number that heads only two pages is kept in text and chunks', async () => {
  const pages = await pdf(invoiceOfTwoPages('471100'));
  assert.deepEqual(
    pages.map((page) => pageText(page).includes('Invoice 471100')),
    [true, true],
  );
  assert.match(chunkPages(pages, countTokens)[0]?.content ?? '', /Invoice 471100/);
});

test('identical pages keep their text, and the chunks contain their running line once', async () => {
  for (const count of [2, 3, 4, 6]) {
    const pages = await pdf(notesAndCopies('471100', count));
    for (const page of pages) assert.match(pageText(page), /Delivery note 471100[^]*good order/);
    const chunks = chunkPages(pages, countTokens).map(({ content }) => content);
    const times = chunks.join('\n').split('471100').length - 1;
    assert.equal(times, count < 4 ? count : 1);
  }
});

test('chapter headings at the top of every page are kept in text and chunks', async () => {
  for (const count of [3, 6]) {
    const pages = await pdf(chaptersOfAPage(count, 'lighthouse'));
    const chunks = chunkPages(pages, countTokens)
      .map(({ content }) => content)
      .join('\n');
    for (const [at, page] of pages.entries()) {
      assert.match(pageText(page), new RegExp(`Chapter ${at + 1}`));
      assert.match(chunks, new RegExp(`Chapter ${at + 1}`));
    }
  }
});
