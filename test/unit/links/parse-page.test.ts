import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lengthOf } from 'darkroom-reader/document';
import { decodeMarkup } from '../../../packages/reader/src/text/decode-text.ts';
import { createPageParser, UnreadablePage } from '../../../engines/page-parser/page-parser.ts';
import { parsePage } from '../../../engines/page-parser/parse-page.ts';
import { articleHtml } from '../../support/web-pages.ts';
import { shown } from '../../support/elements.ts';

const URL_OF_PAGE = 'https://example.org/dir/page';
const parse = (html: string, contentType = 'text/html') =>
  parsePage(Buffer.from(html), contentType, URL_OF_PAGE);
const contents = (html: string) => shown(parse(html).elements).map(({ type, content }) => [type, content]);

const WORD = 'Größe';
const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(WORD, 'utf16le')]);
const latin1 = Buffer.from(WORD, 'latin1');
for (const [what, bytes, header] of [
  ['its byte order mark', utf16, 'text/html; charset=iso-8859-1'],
  ['the header', latin1, 'text/html; charset="ISO-8859-1"'],
  ['the header, in UTF-16 without a mark', Buffer.from(WORD, 'utf16le'), 'text/html; charset=utf-16'],
  [
    'the header, in the other byte order',
    Buffer.from(WORD, 'utf16le').swap16(),
    'text/html; charset=utf-16be',
  ],
  ['its markup, which is not in UTF-16', Buffer.from(`<meta charset=utf-16>${WORD}`), 'text/html'],
  ['its own declaration', Buffer.concat([Buffer.from('<meta charset=latin1>'), latin1]), 'text/html'],
  ['UTF-8 by default', Buffer.from(WORD), 'text/html; charset=nonsense'],
  ['windows-1252 if it is not UTF-8', latin1, undefined],
] as const) {
  test(`a page is decoded by ${what}`, () => assert.ok(decodeMarkup(bytes, header).text.endsWith(WORD)));
}

test('headings, lists, tables and code become elements, and navigation does not', () => {
  const body = `<table><tr><th>lamp</th><th>watt</th></tr><tr><td>a|b</td><td>60</td></tr></table>
    <pre>if (dark)\n  light();</pre><ol><li>first<ul><li>inner</li></ul></li><li>second</li></ol>`;
  const found = contents(articleHtml({ title: 'Lamps', body }));
  assert.deepEqual(found[0], ['heading', 'Lamps']);
  assert.deepEqual(
    found.filter(([type]) => type !== 'paragraph'),
    [
      ['heading', 'Lamps'],
      ['heading', 'Lamps'],
      ['list', '- one lamp\n- two lamps'],
      ['table', '| lamp | watt |\n| --- | --- |\n| a\\|b | 60 |'],
      ['code', 'if (dark)\n  light();'],
      ['list', '1. first\n  - inner\n2. second'],
    ],
  );
  assert.ok(!JSON.stringify(found).includes('About us'));
});

const AB = [
  ['paragraph', 'a'],
  ['paragraph', 'b'],
] as const;
const TITLED = [['heading', 'T'], ...AB] as const;

for (const [what, html, expected] of [
  ['nothing', '', []],
  [
    'an unclosed fragment',
    '<p>one <b>two<div>three',
    [
      ['paragraph', 'one two'],
      ['paragraph', 'three'],
    ],
  ],
  ['only navigation', '<nav>Home</nav>', [['paragraph', 'Home']]],
  [
    'only a description',
    '<html><head><meta name=description content="On lamps">',
    [['paragraph', 'On lamps']],
  ],
  ['no head and no body', '<!doctype html><html lang=en><title>T</title><p>a<p>b', TITLED],
  ['an unclosed head', '<html><head><title>T</title><p>a</p><p>b', TITLED],
  ['a body but no head', '<title>T</title><body><p>a<p>b</body>', TITLED],
  [
    'text after the end of the document',
    '<html><head><title>T</title></head><body><p>a</body></html><p>b',
    TITLED,
  ],
  ['two bodies', '<html><head><title>T</title></head><body><p>a</body><body><p>b</body></html>', TITLED],
  ['a root element in a comment', '<!-- <html > --><title>T</title><p>a<p>b', TITLED],
  ['a drawing with a title', '<svg><title>icon</title></svg><title>T</title><p>a<p>b', TITLED],
  [
    'a form around its content',
    '<form><p>a</p><input value=c><select><option>d</select><button>e</button>b',
    AB,
  ],
  [
    'hidden text',
    '<p hidden>a</p><p style="display: none">b</p><p>c</p><script>d</script>',
    [['paragraph', 'c']],
  ],
  [
    'a layout table',
    '<table><tr><td><p>a</p><p>b</p></td></tr></table>',
    [
      ['paragraph', 'a'],
      ['paragraph', 'b'],
    ],
  ],
] as const) {
  test(`the readable parts of a page with ${what} are extracted`, () =>
    assert.deepEqual(contents(html), expected));
}

test('an article keeps its header and its content inside a form', () => {
  const text = 'The keeper counts the ships in the harbour, one by one. '.repeat(8);
  const found = contents(`<html><head><title>T</title></head><body><header>Site</header><form>
    <article><header><h1>Lamps</h1><p>${text}of the lead</p></header><p>${text}</p><p>${text}</p></article>
    </form></body></html>`);
  assert.deepEqual(
    found.map(([, content = '']) => content.trim().slice(-11)),
    ['T', 'Lamps', 'of the lead', 'one by one.', 'one by one.'],
  );
});

test('a long page is cut and not refused', () => {
  const { elements } = parse('<p>a</p>'.repeat(6_000));
  assert.equal(elements.length, 5_000);
  const cells = '<td rowspan=65534 colspan=1000>some words<td>b';
  const columns = `<tr>${'<td>c'.repeat(100)}`;
  const tables = parse(`<table>${columns}<tr>${cells}${'<tr>'.repeat(2_000)}</table>`.repeat(10)).elements;
  const length = tables.reduce((sum, element) => sum + lengthOf(element), 0);
  assert.ok(length > 1_990_000 && length < 2_001_000, String(length));
});

test('of a table on a page, the first 2,000 rows and 100 columns are kept', () => {
  const row = '<tr><td>a<td colspan=70>b<td colspan=70>c<td>d';
  const columns = `<tr>${'<td>e'.repeat(150)}`;
  const [table] = parse(`<table>${columns}${row.repeat(2_000)}</table><p>after</p>`).elements;
  assert.ok(table?.type === 'table');
  assert.deepEqual([table.rows.length, table.rows[1]?.length, table.rows[1]?.at(-1)], [2_000, 100, 'c']);
});

test('what nests deeper than any page keeps its words', () => {
  assert.deepEqual(contents(`<p>before</p>${'<div>'.repeat(410)}deep`), [
    ['paragraph', 'before'],
    ['paragraph', 'deep'],
  ]);
});

test('metadata comes from Open Graph, then from JSON-LD and HTML, with absolute URLs', () => {
  const page = parse(`<html lang="de-AT"><head><title> T  t </title><base href="/base/">
    <meta property="og:title" content="OG"><meta name="author" content="Somebody">
    <meta property="og:image" content="lead.png"><meta property="og:image:width" content="1200">
    <link rel="shortcut icon" href="i.png"><link rel="canonical" href="https://example.org/c?utm_source=x">
    <script type="application/ld+json">{"@graph":[{"@type":["NewsArticle"],"headline":"LD","datePublished":"2026-01-02"}]}</script>
    <script type="application/ld+json">{broken</script></head>
    <body><img src="data:image/png;base64,AA" srcset="s.png 1x, l.png 2x" alt="A"></body></html>`);
  assert.deepEqual(
    [page.title, page.author, page.publishedAt, page.language, page.types],
    ['OG', 'Somebody', '2026-01-02', 'de', ['NewsArticle']],
  );
  assert.equal(page.canonicalUrl, 'https://example.org/c');
  assert.equal(page.faviconUrl, 'https://example.org/base/i.png');
  assert.deepEqual(page.leadImage, {
    src: 'https://example.org/base/lead.png',
    alt: null,
    width: 1200,
    height: null,
  });
  assert.deepEqual(
    page.images.map(({ src, alt }) => [src, alt]),
    [['https://example.org/base/l.png', 'A']],
  );
});

test('a page that takes too long fails with the reason, and the next one is parsed', async () => {
  const parser = createPageParser({ slots: 1, budget: { baseMs: 200, msPerByte: 0 } });
  after(() => parser.close());
  const call = { tenantId: 'one', signal: new AbortController().signal };
  const given = (html: string) => ({ bytes: Buffer.from(html), contentType: 'text/html', url: URL_OF_PAGE });
  await assert.rejects(
    parser.parse(given(`<html>${'<div>'.repeat(100_000)}`), call),
    (error) => error instanceof UnreadablePage && error.reason === 'took_too_long',
  );
  assert.equal((await parser.parse(given('<title>x</title>'), call)).title, 'x');
});
