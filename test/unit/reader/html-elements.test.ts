import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthOf } from 'darkroom-reader/document';
import { UnreadableDocument } from '../../../packages/reader/src/opened-document.ts';
import { numeral } from '../../../packages/reader/src/flow/numeral.ts';
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
    'what is entered in the fields of a form, without prompts, secrets and boxes of menus',
    `<p><label>Name: <input value="Ann"></label> <select><option value="">Choose<option selected>Post<option>Rail</select>
     <p><input type=checkbox checked> Express <input type=checkbox> Fragile<p><textarea>as\nagreed</textarea>
     <p><input type=hidden value=no><input type=password value=no><p><input type=checkbox><label></label>`,
    ['paragraph: Name: Ann Post', 'paragraph: ☒ Express ☐ Fragile', 'paragraph: as\nagreed'],
  ],
  [
    'the first option where browsers show it, and headings without boxes',
    `<h2><input type=checkbox> Menu</h2><p>a<input type="hidden " value=no><select><option disabled>no<optgroup><option>Post<option>Rail</select>
     <p>b<select multiple><option>no</select><select size=3><option>no</select><select><option value="">Choose<option>no</select>`,
    ['heading: Menu', 'paragraph: a Post', 'paragraph: b'],
  ],
  [
    'cells that cover several repeat their text',
    '<table><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>A<th>B<tr><td>x|y<td>1<td>2<br>3</table>',
    ['table: | Name | Size | Size |\n| --- | --- | --- |\n| Name | A | B |\n| x\\|y | 1 | 2 3 |'],
  ],
  [
    'cells cover no rows beyond their part of the table',
    '<table><thead><tr><th>A<th>B<tbody><tr><td rowspan=5>x<td>1<tbody><tr><td rowspan=0>y<td>2<tr><td>3<tr><td>4<tbody><tr><td rowspan=z>z<td>5</table>',
    ['table: | A | B |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n| y | 3 |\n| y | 4 |\n| z | 5 |'],
  ],
  [
    'the foot of a table is below its body, wherever it is written',
    '<table><thead><tr><th>Item<th>Sum<tfoot><tr><td>Total<td>9<tbody><tr><td>a<td>4<tr><td>b<td>5</table>',
    ['table: | Item | Sum |\n| --- | --- |\n| a | 4 |\n| b | 5 |\n| Total | 9 |'],
  ],
  [
    'only the first foot of a table is moved',
    '<table><tfoot><tr><td>Total<td>9<tfoot><tr><td>a<td>4<tbody><tr><td>b<td>5</table>',
    ['table: | a | 4 |\n| --- | --- |\n| b | 5 |\n| Total | 9 |'],
  ],
  [
    'rows stay in their order where a wrapper holds some of them',
    '<table><form><tbody><tr><td>1<td>one</tr></tbody></form><tr><td>2<td>two</tr></table>',
    ['table: | 1 | one |\n| --- | --- |\n| 2 | two |'],
  ],
  [
    'a header in a box of its own stays above the rows of its table',
    `<div role=table><div><div role=rowgroup><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div></div></div>
     <div role=row><span role=cell>1</span><span role=cell>2</span></div></div>`,
    ['table: | A | B |\n| --- | --- |\n| 1 | 2 |'],
  ],
  [
    'a column in which a cell begins is kept where merged cells overlap',
    '<table><tr><td>h1<td>h2<td>h3</tr><tr><td>a<td colspan=2 rowspan=2>b</tr><tr><td colspan=3>c</tr></table>',
    ['table: | h1 | h2 | h3 |\n| --- | --- | --- |\n| a | b | b |\n| c | b | b |'],
  ],
  [
    'columns in which no cell begins are none',
    '<table><tr><td colspan=99>Prices<tr><td colspan=2>Part<td>1<tr><td colspan=2>Sum<td rowspan=2>9<tr><td>a<td>b</table>',
    [
      'table: | Prices | Prices | Prices |\n| --- | --- | --- |\n| Part | Part | 1 |\n| Sum | Sum | 9 |\n| a | b | 9 |',
    ],
  ],
  [
    'boxes are tables and titles by their roles',
    `<div role=heading aria-level=3>Parts</div><div role=table><div role=rowgroup><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div></div>
     <div role=row><span role=cell>1</span><span role=cell>2</span></div></div><div role=toString>end</div>`,
    ['heading: Parts', 'table: | A | B |\n| --- | --- |\n| 1 | 2 |', 'paragraph: end'],
  ],
  [
    'tables that place others are not tables',
    '<table><tr><td><table><tr><td>in<td>2</table><td>beside</table>',
    ['table: | in | 2 |\n| --- | --- |', 'paragraph: beside'],
  ],
  [
    'code in the cells of a table',
    '<table><tr><th>Command<th>Effect<tr><td><pre>clean\nall</pre><td>removes</table>',
    ['table: | Command | Effect |\n| --- | --- |\n| clean all | removes |'],
  ],
  [
    'code beside the numbers of its lines is no table',
    '<table><tr><td><pre>1\n2</pre><td><pre>if (a)\n  b();</pre></table>',
    ['code: 1\n2', 'code: if (a)\n  b();'],
  ],
  [
    'images with a text are figures, or words of their line',
    '<p><img alt="A chart" src=x><p>press <img alt="Enter"> now<p><img src=y>',
    ['figure: A chart', 'paragraph: press Enter now'],
  ],
  [
    'formulas, by their signs or the text of their picture',
    `<p>So <math><semantics><mi>E</mi><mo>=</mo><mi>m</mi><annotation>no</annotation></semantics></math> and
     <img aria-hidden="true" alt="x^2">.<ul><li><img hidden alt="no">y</ul>`,
    ['paragraph: So E=m and x^2 .', 'list: - y'],
  ],
  [
    'formulas whose parts are above and below each other',
    `<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, <math><msup><mn>10</mn><mn>6</mn></msup></math>,
     <math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>,
     <math><msqrt><mi>x</mi><mo>-</mo><mn>1</mn></msqrt></math>, <math><msub><mi>T</mi><mi>max</mi></msub></math>,
     <math><msup><mi>e</mi><mrow><mi>a</mi><mo>&#x2062;</mo><mi>T</mi></mrow></msup></math>,
     <math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover></math>,
     <math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></math>`,
    ['paragraph: 1/2, 10⁶, (a+b)/2, √(x-1), T_max, e^(aT), ∑ᵢ₌₁ⁿ, [1, 2]'],
  ],
  [
    'formulas apart from digits, from each other and within brackets',
    `<p>1<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, <math><mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>,
     <math><msup><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>2</mn></msup></math>,
     <math><msup><mrow><mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo></mrow><mn>2</mn></msup></math>,
     <math><mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced></math>,
     <math><mfenced open="[" close="]" separators=";"><mi>x</mi><mi>y</mi></mfenced></math>,
     <math><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi></math>,
     <math><mi>f</mi><mo>&#x2061;</mo><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></math>
     <math display="block"><mi>x</mi></math><math display="block"><mi>y</mi></math> end`,
    ['paragraph: 1 1/2, 1 1/2, (1/2)², (a/b)², f(x,y), [x;y], sin x, f(x)\nx\ny\nend'],
  ],
  [
    'the reading of characters after their word',
    `<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です<h2><ruby>東京<rt>とうきょう</ruby></h2>`,
    ['paragraph: 漢字(かんじ)です', 'heading: 東京(とうきょう)'],
  ],
  [
    'menus as lists, quotes, words without their places of division, and dialogues that are open',
    '<menu><li>a<li>b</menu><p>He said <q>yes</q> to Liefer&shy;datum<dialog>no</dialog><dialog open>open</dialog>',
    ['list: - a\n- b', 'paragraph: He said “yes” to Lieferdatum', 'paragraph: open'],
  ],
  [
    'tables in the cells of a table with headers, after it',
    `<table><tr><th>Part<th>Sizes<tr><td>Bolt<td>metric<table><tr><td>M4<td>10<tr><td>M5<td>12</table>
     <tr><td>Nut<td>none</table>`,
    [
      'table: | Part | Sizes |\n| --- | --- |\n| Bolt | metric |\n| Nut | none |',
      'table: | M4 | 10 |\n| --- | --- |\n| M5 | 12 |',
    ],
  ],
  [
    'header cells that place headings and paragraphs',
    `<table><tr><th><h1>Hello</h1><p>Dear Ann,</p><p>your order shipped.</p></th><th class="expander">&nbsp;</th></tr></table>`,
    ['heading: Hello', 'paragraph: Dear Ann,', 'paragraph: your order shipped.'],
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
    parseHtml(
      `<table><tr><td colspan=1000000000 rowspan=99999999>a<td>b<tr><td>c<tbody><tr>${'<td>d'.repeat(1_001)}</table>`,
    ),
  );
  assert.ok(table?.type === 'table');
  assert.deepEqual([table.rows.length, table.rows[0]?.length], [3, 1001]);
  assert.deepEqual(table.merged, [{ row: 0, column: 0, rows: 2, columns: 1000 }]);
});

const NUMERALS: readonly [format: string, value: number, shown: string][] = [
  ['chineseCounting', 10, '十'],
  ['japaneseCounting', 12, '十二'],
  ['chineseCountingThousand', 30, '三十'],
  ['chineseCounting', 105, '一〇五'],
  ['ideographDigital', 10, '一〇'],
  ['decimalEnclosedCircle', 20, '⑳'],
  ['decimalEnclosedCircle', 21, '21'],
  ['ganada', 3, '다'],
  ['iroha', 2, 'ロ'],
  ['ideographTraditional', 1, '甲'],
  ['russianLower', 10, 'к'],
  ['hebrew1', 2, 'ב'],
  ['arabicAbjad', 3, 'ج'],
  ['decimalFullWidth', 12, '１２'],
  ['thaiNumbers', 45, '๔๕'],
  ['cardinalText', 2, '2'],
  ['ganada', 0, '0'],
  ['constructor', 4, '4'],
];
test('numbers of lists are written as their formats say', () => {
  for (const [format, value, shown] of NUMERALS) assert.equal(numeral(value, format), shown, format);
  assert.deepEqual(read('<ol style="list-style-type: cjk-ideographic" start=2><li>b<li>c</ol>'), [
    'list: 二. b\n三. c',
  ]);
  assert.deepEqual(read('<ol style="list-style-type: cjk-decimal" start=10><li>b</ol>'), ['list: 一〇. b']);
});

const MOST = { elements: 50, characters: 2_000, rows: 20, columns: 10 };
const WORDS = 'some words and more. ';
const CUT: readonly [what: string, html: string][] = [
  ['a text', WORDS.repeat(200)],
  ['several texts', `<p>${WORDS.repeat(30)}`.repeat(5)],
  ['a list', `<ul>${`<li>${WORDS}`.repeat(200)}</ul><p>more`],
  ['lists in lists', `<ul>${`<li>${WORDS}<ul>`.repeat(150)}`],
  ['a table', `<table>${`<tr><td>${WORDS.repeat(10)}<td>b`.repeat(20)}</table><p>more`],
  ['a row', `<table><tr><td>a<td>${WORDS.repeat(200)}<td>c</table><p>more`],
  [
    'a cell that covers others',
    `<table><tr><td colspan=9>${WORDS.repeat(20)}<td>b<tr>${'<td>c'.repeat(9)}</table><p>more`,
  ],
];
for (const [what, html] of CUT)
  test(`HTML: with a limit on its characters, ${what} is cut`, () => {
    const kept = htmlElements(parseHtml(html), MOST);
    const length = kept.reduce((sum, element) => sum + lengthOf(element), 0);
    assert.ok(length > 0.95 * MOST.characters && length < 1.05 * MOST.characters, String(length));
    assert.ok(read(html).join('\n').startsWith(listed(kept).join('\n').slice(0, 1_000)));
  });

test('HTML: with a limit on its elements, the first are kept', () => {
  assert.deepEqual(listed(htmlElements(parseHtml('<p>a<ul><li>b</ul><p>c'), { ...MOST, elements: 2 })), [
    'paragraph: a',
    'list: - b',
  ]);
});

test('HTML: with a limit on its tables, cells are cut where others cover them', () => {
  const rows = '<tr><td>a<td colspan=7>b<td rowspan=9 colspan=7>c<td>d'.repeat(2);
  const html = `<table>${rows}<tr>${'<td>e'.repeat(8)}<tr><td>f</table><p>after`;
  const [table, after] = htmlElements(parseHtml(html), { ...MOST, rows: 3 });
  assert.ok(table?.type === 'table' && after?.type === 'paragraph');
  assert.deepEqual(table.rows[0], ['a', ...Array.from({ length: 7 }, () => 'b'), 'c']);
  assert.equal(table.rows.length, 3);
  assert.deepEqual(table.merged?.at(1), { row: 0, column: 8, rows: 3, columns: 1 });
});

test('HTML: what is long where a page is cut has no limit of cells', () => {
  const html = `<table><tr>${`<td colspan=1000 rowspan=65534>${WORDS}`.repeat(3)}${'<tr>'.repeat(1_000)}</table>`;
  assert.throws(() => htmlElements(parseHtml(html)), UnreadableDocument);
  const most = { ...MOST, rows: 1_000, columns: 100 };
  assert.equal(htmlElements(parseHtml(html), most).length, 1);
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
