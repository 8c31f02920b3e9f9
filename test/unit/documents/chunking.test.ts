import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkPages, type ChunkLimits } from '../../../domain/documents/chunking.ts';
import type { PageContent, PageElement } from 'darkroom-reader/document';
import { listElement, shown, tableElement, textElement as element } from '../../support/elements.ts';

const LIMITS: ChunkLimits = { least: 5, target: 20, most: 40 };
/** Words count as tokens, so limits can be counted by hand. */
const countTokens = (text: string) => text.match(/\S+/g)?.length ?? 0;

const heading = (level: number, content: string) => element('heading', content, { level });
const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');
const page = (pageNumber: number, ...elements: PageElement[]): PageContent => ({
  pageNumber,
  source: 'document',
  elements,
});
const chunk = (...pages: PageContent[]) => chunkPages(pages, countTokens, LIMITS);

test('chunks follow the headings and carry their path and pages', () => {
  const chunks = chunk(
    page(
      1,
      heading(1, 'Manual'),
      element('paragraph', words(8)),
      heading(2, 'Care'),
      element('paragraph', words(8)),
    ),
    page(2, heading(2, 'Warranty'), element('paragraph', words(8))),
  );
  assert.deepEqual(
    chunks.map(({ headingPath, pageNumbers }) => [headingPath, pageNumbers]),
    [
      [['Manual'], [1]],
      [['Manual', 'Care'], [1]],
      [['Manual', 'Warranty'], [2]],
    ],
  );
});

test('a table stays whole, and above the limit each part repeats its header', () => {
  const table = (count: number) =>
    tableElement(['a', 'b'], ...Array.from({ length: count }, (_, at) => [`${at}`, `x${at}`]));
  const small = chunk(page(1, table(2)));
  assert.deepEqual(
    small.map(({ content, type }) => [content, type]),
    [['| a | b |\n| --- | --- |\n| 0 | x0 |\n| 1 | x1 |', 'table']],
  );
  const large = chunk(page(1, table(30)));
  assert.ok(large.length > 1);
  for (const part of large) assert.match(part.content, /^\| a \| b \|\n\| --- \| --- \|\n\| \d/);
});

test('code stays whole, and above the limit its lines keep their indents', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `    ${at} = value`).join('\n');
  assert.deepEqual(
    chunk(page(1, element('code', `\n${lines(10)}\n`))).map(({ content, type }) => [content, type]),
    [[lines(10), 'text']],
  );
  const parts = chunk(page(1, element('code', lines(30)))).map(({ content }) => content);
  assert.ok(parts.length > 1);
  assert.equal(parts.join('\n'), lines(30));
});

test('a header or footer line is kept at its first occurrence, outside of the sections', () => {
  const header = (content: string) => element('paragraph', content, { role: 'page_header' });
  const chunks = chunk(
    page(1, header('Survey 471199'), heading(1, 'Care'), element('paragraph', words(8))),
    page(2, header('Survey 471199\nPage 2 of 9'), element('paragraph', words(8))),
    page(3, header('Survey 471199\nPage 3 of 9'), element('paragraph', words(8))),
    page(4, header('Survey 471200\n8888'), element('paragraph', words(8))),
  );
  const all = chunks.map(({ content }) => content).join('\n');
  for (const line of ['Survey 471199', 'Page 2 of 9', 'Survey 471200', '8888'])
    assert.equal(all.split(line).length - 1, 1, line);
  assert.doesNotMatch(all, /Page 3/);
  assert.deepEqual(new Set(chunks.map(({ headingPath }) => headingPath.join())), new Set(['Care']));
});

test('contents and indexes are chunks of their own, outside of the sections', () => {
  const entries = (...items: string[]) => listElement(...items);
  const chunks = chunk(
    page(
      1,
      heading(1, 'Manual'),
      element('paragraph', words(8)),
      heading(1, 'Contents'),
      heading(2, '1 Care 2'),
      entries('1.1 Water … 2', '1.2 Power … 3', '1.3 Light … 3', '1.4 Heat … 4', '1.5 Cold … 5'),
    ),
    page(2, heading(2, '1 Care'), element('paragraph', words(2))),
    page(
      3,
      heading(1, 'Index'),
      element('paragraph', 'heat, 4 light, 3'),
      element('paragraph', 'water, 2, 3'),
    ),
  );
  assert.deepEqual(
    chunks.map(({ role, headingPath, elements }) => [role, headingPath, elements]),
    [
      [
        'body',
        ['Manual'],
        [
          [1, 0],
          [1, 1],
        ],
      ],
      [
        'contents',
        [],
        [
          [1, 2],
          [1, 3],
          [1, 4],
        ],
      ],
      [
        'body',
        ['Manual', '1 Care'],
        [
          [2, 0],
          [2, 1],
        ],
      ],
      [
        'index',
        [],
        [
          [3, 0],
          [3, 1],
          [3, 2],
        ],
      ],
    ],
  );
});

test('all text is in exactly one chunk, in order, and no chunk is too long', () => {
  const text = fc
    .array(fc.stringMatching(/^[a-zäß,.]{1,12}$/), { minLength: 1, maxLength: 60 })
    .map((parts) => parts.join(' '));
  const anyElement = fc.oneof(
    text.map((content) => element('paragraph', content)),
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.stringMatching(/^[a-z]{1,8}$/))
      .map(([level, title]) => heading(level, title)),
    fc.array(text, { minLength: 1, maxLength: 8 }).map((items) => listElement(...items)),
  );
  const document = fc
    .array(fc.array(anyElement, { maxLength: 6 }), { maxLength: 5 })
    .map((pages) => pages.map((elements, at) => page(at + 1, ...elements)));
  const bare = (content: string) => content.replaceAll(/\s+/g, '');
  fc.assert(
    fc.property(document, (pages) => {
      const chunks = chunkPages(pages, countTokens, LIMITS);
      const before = pages
        .flatMap(({ elements }) => shown(elements).map(({ content }) => bare(content)))
        .join('');
      assert.equal(chunks.map(({ content }) => bare(content)).join(''), before);
      const contentOf = ([number, position]: readonly [number, number]) =>
        bare(shown(pages[number - 1]?.elements ?? [])[position]?.content ?? '');
      for (const { elements, content } of chunks) {
        const whole = elements.map(contentOf).join('');
        assert.ok(whole.includes(bare(content)), 'a chunk has the text of its elements');
        assert.ok(elements.every((place, at) => place !== elements[at - 1]));
      }
      for (const { tokenCount, pageNumbers, content } of chunks) {
        assert.equal(tokenCount, countTokens(content));
        assert.ok(content.trim() !== '' && pageNumbers.length > 0);
        assert.ok(tokenCount <= LIMITS.most, `${tokenCount} tokens`);
      }
    }),
    { numRuns: 200 },
  );
});
