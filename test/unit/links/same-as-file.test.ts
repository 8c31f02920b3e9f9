import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlElements } from '../../../packages/reader/src/html/html-elements.ts';
import { parseHtml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { parsePage } from '../../../engines/page-parser/parse-page.ts';
import type { ElementContent } from 'darkroom-reader/document';

const asFile = (html: string): ElementContent[] => htmlElements(parseHtml(html));
const asLink = (html: string): ElementContent[] =>
  parsePage(Buffer.from(html), 'text/html', 'https://example.org/').elements.map(
    ({ box: _box, ...content }) => content,
  );

/** Parts that are too short for an article, so that a page of one is read as a whole. */
const PARTS: readonly [what: string, html: string, type: ElementContent['type']][] = [
  ['headings', '<h2>On <em>tides</em></h2><h3>At<br>night</h3><h6>Deep</h6>', 'heading'],
  ['a list with its own numbers', '<ol start=3><li>three<li value=7>seven<li>eight</ol>', 'list'],
  ['lists in lists', '<ul><li>a<ol start=0><li>b<ul><li>c</ul></ol>d<li>e</ul>', 'list'],
  ['an item with code', '<ol><li>one<li>two<pre>x\n  y</pre><li>three</ol>', 'code'],
  [
    'merged cells and a caption',
    `<table><caption>Lamps, by size</caption><thead><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>A<th>B</thead>
     <tbody><tr><td>a|b<td>1<td>2<br>3<tr><td><td><td></tbody></table>`,
    'table',
  ],
  ['upper case', '<TABLE><TR><TD COLSPAN=2>a<TD>b<TR><TD>c<TD>d<TD>e</TABLE><P HIDDEN>no</P>', 'table'],
  ['code', '<pre>\nif (dark)\n  <b>light</b>(&lt;one&gt;);<br>\n</pre>', 'code'],
  ['line breaks', '<p>Harbour street<br>12 <br> Northport</p>', 'paragraph'],
  ['terms', '<dl><dt>keeper<dd>counts the ships<dt>lamp<dd>burns</dl>', 'paragraph'],
  ['pairs', '<p>Height: 30 m</p><p>Built: 1871</p><p>Both words: and more words</p>', 'key_value'],
  [
    'a figure with its caption',
    '<figure><img src="t.png" alt="The  tower"><figcaption>Seen from the sea</figcaption></figure>',
    'figure',
  ],
  ['images in a line', '<p>Press <img src="k.png" alt="Enter"> now<img src="x.png"></p>', 'paragraph'],
  [
    'hidden parts',
    `<p hidden>a</p><p style="display: none">b</p><p aria-hidden="true">c</p>
     <p>d<span style="visibility:hidden">e</span></p><script>f</script><!-- g -->`,
    'paragraph',
  ],
  [
    'a table that places other content',
    '<table role="presentation"><tr><td><p>left, or west</p><td><p>right, or east</p></table>',
    'paragraph',
  ],
  ['entities', '<p>a &lt; b&nbsp;&amp; c, &eacute;&#x1F600; &ofi; ﬁne</p>', 'paragraph'],
  [
    'a formula',
    `<p>So <math><semantics><mi>E</mi><mo>=</mo><mi>m</mi><annotation>no</annotation></semantics></math> and
     <span style="display: none"><math><mi>x</mi></math></span><img class="fallback-image" aria-hidden="true" src="x.svg" alt="x^2">.</p>`,
    'paragraph',
  ],
];

for (const [what, html, type] of PARTS)
  test(`a page with ${what} has the same elements as a link and as a file`, () => {
    const elements = asFile(html);
    assert.ok(elements.some((element) => element.type === type));
    assert.deepEqual(asLink(html), elements);
  });

test('an article has the same elements as a link and as a file', () => {
  const sentence = 'The keeper counts the ships, the boats, and the rafts, in the book of the night. ';
  const parts = PARTS.map(([, html]) => `<p>${sentence.repeat(3)}</p>${html}`);
  const article = `<article>${parts.join('\n')}<p>${sentence.repeat(3)}</p></article>`;
  const page = `<!doctype html><html><head></head><body><nav>Home</nav>${article}
    <div class="sidebar"><p>Other articles</p></div><footer>Imprint</footer></body></html>`;
  assert.deepEqual(asLink(page), asFile(article));
});
