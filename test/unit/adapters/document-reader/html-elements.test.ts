import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlElements } from '../../../../adapters/document-reader/html/html-elements.ts';
import { parseHtml } from '../../../../adapters/document-reader/markup/parse-markup.ts';

const shown = (html: string): string[] =>
  htmlElements(parseHtml(html)).map(({ type, content }) => `${type}: ${content}`);

const CASES: readonly [what: string, html: string, elements: string[]][] = [
  [
    'headings and paragraphs, without scripts, styles and hidden parts',
    `<title>No</title><h2>On <em>tides</em></h2><p>A<b>b</b> c<script>x</script><div hidden>y</div>
     <p style="display: none">z<p>Line<br>break`,
    ['heading: On tides', 'paragraph: Ab c', 'paragraph: Line\nbreak'],
  ],
  [
    'lists with their numbers and the lists in them',
    '<ol start=3><li>three<ul><li>a<li>b</ul><li value=7>seven<p>more</ol>',
    ['list: 3. three\n  - a\n  - b\n7. seven more'],
  ],
  [
    'an item with code is text and code between two lists',
    '<ol><li>one<li>two<pre>x\n  y</pre><li>three</ol>',
    ['list: 1. one', 'paragraph: 2. two', 'code: x\n  y', 'list: 3. three'],
  ],
  [
    'cells that cover several repeat their text',
    '<table><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>A<th>B<tr><td>x|y<td>1<td>2<br>3</table>',
    ['table: | Name | Size | Size |\n| --- | --- | --- |\n| Name | A | B |\n| x\\|y | 1 | 2 3 |'],
  ],
  [
    'tables that place others are not tables',
    '<table><tr><td><table><tr><td>in<td>2</table><td>beside</table>',
    ['table: | in | 2 |\n| --- | --- |', 'paragraph: beside'],
  ],
  [
    'images with a text are figures, or words of their line',
    '<p><img alt="A chart" src=x><p>press <img alt="Enter"> now<p><img src=y>',
    ['figure: A chart', 'paragraph: press Enter now'],
  ],
  [
    'entities and unclosed tags',
    '<p>a &lt; b&nbsp;&amp; c<p>d<i>e',
    ['paragraph: a < b & c', 'paragraph: de'],
  ],
];

for (const [what, html, elements] of CASES)
  test(`HTML: ${what}`, () => {
    assert.deepEqual(shown(html), elements);
  });

test('HTML: a cell covers a thousand columns and the rows of its table at most', () => {
  const [table] = htmlElements(
    parseHtml('<table><tr><td colspan=1000000000 rowspan=99999999>a<td>b<tr><td>c</table>'),
  );
  assert.deepEqual(table?.metadata, { rows: 2, columns: 1001 });
});

test('HTML: what nests deeper than any page keeps its words', () => {
  const [paragraph, ...others] = shown(`${'<div>'.repeat(5_000)}deep<b> down${'</div>'.repeat(5_000)}`);
  assert.equal([paragraph, ...others].join(' ').replaceAll(/\s+/g, ' '), 'paragraph: deep paragraph: down');
});
