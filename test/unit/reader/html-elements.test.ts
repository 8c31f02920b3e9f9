import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadableDocument } from '../../../packages/reader/src/opened-document.ts';
import { htmlElements } from '../../../packages/reader/src/html/html-elements.ts';
import { parseHtml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { listed } from '../../support/elements.ts';

const read = (html: string): string[] => listed(htmlElements(parseHtml(html)));

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
    'text of a list outside its items',
    '<ul>Alone<li>a</li>Between<li>b</li></ul><ol><li>one</li><ol><li>in</ol>loose<li>two</ol>',
    ['list: - Alone\n- a\n- Between\n- b', 'list: 1. one\n  1. in\n- loose\n2. two'],
  ],
  [
    'text of a table outside its cells, above it',
    '<table>Fos<b>tered</b><tr>row<td>a</td><td>b</td></tr><ul><li>x</ul><caption>Cap</caption></table>',
    ['paragraph: Fosteredrow', 'list: - x', 'paragraph: Cap', 'table: | a | b |\n| --- | --- |'],
  ],
  [
    'rows and cells in a form, and cells outside rows',
    `<table><tr><td>a</td><form><td>b</td></form></tr><form><tr><td>c</td><td>d</td></tr></form>
     <td>e</td><td>f</td><tbody><tr><td>g</td><td hidden>no</td></tr></tbody></table>`,
    ['table: | a | b |\n| --- | --- |\n| c | d |\n| e | f |\n| g |  |'],
  ],
  [
    'entities and unclosed tags',
    '<p>a &lt; b&nbsp;&amp; c<p>d<i>e',
    ['paragraph: a < b & c', 'paragraph: de'],
  ],
];

for (const [what, html, elements] of CASES)
  test(`HTML: ${what}`, () => {
    assert.deepEqual(read(html), elements);
  });

test('HTML: a cell covers a thousand columns and the rows of its table at most', () => {
  const [table] = htmlElements(
    parseHtml('<table><tr><td colspan=1000000000 rowspan=99999999>a<td>b<tr><td>c</table>'),
  );
  assert.ok(table?.type === 'table');
  assert.deepEqual([table.rows.length, table.rows[0]?.length], [2, 1001]);
  assert.deepEqual(table.merged, [{ row: 0, column: 0, rows: 2, columns: 1000 }]);
});

test('HTML: what nests deeper than any page keeps its words', () => {
  const [paragraph, ...others] = read(`${'<div>'.repeat(1_500)}deep<b> down${'</div>'.repeat(1_500)}`);
  assert.equal([paragraph, ...others].join(' ').replaceAll(/\s+/g, ' '), 'paragraph: deep paragraph: down');
});

test('HTML: lists in lists are looked through once, however deep', () => {
  const deep = `${'<ul><li>'.repeat(90)}<pre>code</pre>${'<i></i>'.repeat(100_000)}`;
  assert.deepEqual(read(deep), ['code: code']);
});

test('HTML: an item may have more lines than a call has arguments', () => {
  const [list] = htmlElements(parseHtml(`<ul><li>a<ul>${'<li>b'.repeat(150_000)}`));
  assert.equal(list?.type === 'list' && list.items.length, 150_001);
});

test('HTML: more open tags than any page has are too large', () => {
  assert.throws(
    () => parseHtml('<b>'.repeat(2_001)),
    (error) => error instanceof UnreadableDocument && error.reason === 'too_large',
  );
});
