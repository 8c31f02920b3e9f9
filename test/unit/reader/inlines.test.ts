import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { plainText, type ElementContent } from 'darkroom-reader/document';
import { htmlElements } from '../../../packages/reader/src/html/html-elements.ts';
import { InlineMarks } from '../../../packages/reader/src/inline/inline-marks.ts';
import { lowered, raised } from '../../../packages/reader/src/inline/raised.ts';
import { openMarkdown } from '../../../packages/reader/src/markdown/open-markdown.ts';
import { parseHtml, parseXml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { CellCount } from '../../../packages/reader/src/flow/grid.ts';
import { shapeElements } from '../../../packages/reader/src/pptx/slide-elements.ts';
import { paragraph, readDocxPages, run } from '../../support/docx-parts.ts';
import { listed } from '../../support/elements.ts';

/** The same sentences in every format, with what is shown of them. */
const SHOWN = [
  'paragraph: An area of 25 m² bears 10⁶ cycles of H2O at log₂ 8.',
  'paragraph: The price is ~~100~~ 80, see [the manual](https://pump.example/manual%281%29).',
];
const VALID = ['An area of 25 m² bears 10⁶ cycles of H2O at log₂ 8.', 'The price is 80, see the manual.'];
const TARGET = 'https://pump.example/manual(1)';

const HTML = `<p>An area of 25 m<sup>2</sup> bears 10<span style="vertical-align: super">6</span> cycles of H<sub>2</sub>O at
  log<sub>2</sub> 8.<p>The price is <del>100</del> 80, see <a href="${TARGET}">the <b>manual</b></a>.`;
const MARKDOWN = `An area of 25 m<sup>2</sup> bears 10<sup>6</sup> cycles of H<sub>2</sub>O at log<sub>2</sub> 8.\n\n
The price is ~~100~~ 80, see [the *manual*][1].\n\n[1]: <${TARGET}>`;

const vertical = (name: string) => `<w:vertAlign w:val="${name}"/>`;
const DOCX =
  paragraph(
    `${run('An area of 25 m')}${run('2', vertical('superscript'))}${run(' bears 10')}${run('6', '<w:position w:val="8"/>')}` +
      `${run(' cycles of H')}${run('2', vertical('subscript'))}${run('O at log')}${run('2', vertical('subscript'))}${run(' 8.')}`,
  ) +
  paragraph(
    `${run('The price is ')}${run('10', '<w:strike/>')}${run('0', '<w:dstrike/>')}${run(' 80, see ')}` +
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "${TARGET}" </w:instrText></w:r>` +
      `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('the manual')}<w:r><w:fldChar w:fldCharType="end"/></w:r>${run('.')}`,
  );

const drawn = (text: string, attributes = '', inside = '') =>
  `<a:r><a:rPr ${attributes}>${inside}</a:rPr><a:t>${text}</a:t></a:r>`;
const PPTX = `<p:sp><p:txBody><a:p>${drawn('An area of 25 m')}${drawn('2', 'baseline="30000"')}${drawn(' bears 10')}
${drawn('6', 'baseline="30%"')}${drawn(' cycles of H')}${drawn('2', 'baseline="-25000"')}${drawn('O at log')}
${drawn('2', 'baseline="-25000"')}${drawn(' 8.')}</a:p><a:p>${drawn('The price is ')}${drawn('100', 'strike="sngStrike"')}
${drawn(' 80, see ')}${drawn('the manual', '', '<a:hlinkClick r:id="rId7"/>')}${drawn('.')}</a:p></p:txBody></p:sp>`;

const KINDS: readonly [name: string, read: () => Promise<readonly ElementContent[]>][] = [
  ['HTML', async () => htmlElements(parseHtml(HTML))],
  ['a Word document', async () => (await readDocxPages(DOCX)).flat()],
  ['Markdown', () => readMarkdown(MARKDOWN)],
  ['a slide', async () => slideElements(PPTX)],
];

function slideElements(xml: string): ElementContent[] {
  const [node] = parseXml(xml).children;
  assert.ok(node !== undefined && typeof node !== 'string');
  const marks = new InlineMarks();
  const looks = { marks, targets: new Map([['rId7', TARGET]]) };
  const slide = { parts: new Map(), pictures: new Map(), cells: new CellCount(), looks };
  const elements = shapeElements(
    { node, placeholder: undefined, isTitle: false, x: 0, y: 0, width: 0, height: 0 },
    slide,
  );
  return elements.map((element) => marks.separate(element));
}

for (const [name, read] of KINDS)
  test(`raised, lowered and struck-out text and links of ${name} keep what they say`, async () => {
    const elements = await read();
    assert.deepEqual(listed(elements), SHOWN);
    assert.deepEqual(elements.map(plainText), VALID);
  });

const HEIGHTS: readonly [text: string, up: string, down: string][] = [
  ['6', '⁶', '₆'],
  ['-1', '⁻¹', '₋₁'],
  ['n+1', 'ⁿ⁺¹', 'ₙ₊₁'],
  ['1,2', '¹,²', '₁,₂'],
  ['st', 'st', 'st'],
  ['max', 'max', 'max'],
  ['[1]', '[1]', '[1]'],
  ['TM', 'TM', 'TM'],
  ['*', '*', '*'],
  ['°', '°', '°'],
];
for (const [text, up, down] of HEIGHTS)
  test(`${text} is ${up} raised and ${down} lowered`, () =>
    assert.deepEqual([raised(text), lowered(text, 'x')], [up, down]));

const CASES: readonly [what: string, html: string, elements: string[]][] = [
  [
    'marks in cells, items, headings and values',
    `<table><tr><th>Part<th>Price<tr><td><a href="https://a.example/b">Bolt</a><td><s>2</s> 1</table>
     <ul><li><s>old</s><li>new <a href="mailto:a@b.example">mail</a></ul><h2><a href="https://a.example">Title</a></h2>
     <p>Site: <a href="https://a.example/x">here</a><p>Price: <del>9</del> 8`,
    [
      'table: | Part | Price |\n| --- | --- |\n| [Bolt](https://a.example/b) | ~~2~~ 1 |',
      'list: - ~~old~~\n- new [mail](mailto:a@b.example)',
      'heading: [Title](https://a.example/)',
      'key_value: Site: [here](https://a.example/x)',
      'key_value: Price: ~~9~~ 8',
    ],
  ],
  [
    'no links within the page, to scripts, or that say themselves',
    '<p><a href="#x">a</a> <a href="javascript:b()">b</a> <a href="https://c.example/d">c.example/d</a> <a href="e.html">e</a>',
    ['paragraph: a b c.example/d e'],
  ],
  [
    'a link within struck-out text, and white space on both sides of a mark',
    '<p>a <s> b <a href="https://c.example">c</a> </s> d<p><a href="https://x.example"> <br> </a><p>e',
    ['paragraph: a ~~b [c](https://c.example/)~~ d', 'paragraph: e'],
  ],
  [
    'a link around blocks is that of its first text',
    '<a href="https://a.example/">first<p>second</p></a>',
    ['paragraph: [first](https://a.example/)', 'paragraph: second'],
  ],
];
for (const [what, html, elements] of CASES)
  test(`HTML: ${what}`, () => assert.deepEqual(listed(htmlElements(parseHtml(html))), elements));

const NUMBERS: readonly [list: string, items: string][] = [
  ['<ol type=a><li>x<li>y</ol>', 'a. x\nb. y'],
  ['<ol type=I start=4><li>x<li value=9>y</ol>', 'IV. x\nIX. y'],
  ['<ol style="list-style-type: lower-roman"><li>x<li type=1>y</ol>', 'i. x\n2. y'],
  ['<ol reversed><li>x<li>y<li>z</ol>', '3. x\n2. y\n1. z'],
];
for (const [list, items] of NUMBERS)
  test(`items are numbered as browsers number ${list}`, () =>
    assert.deepEqual(listed(htmlElements(parseHtml(list))), [`list: ${items}`]));

test('numbers of a slide are shown by their scheme', () => {
  const numbered = (text: string, scheme: string) =>
    `<a:p><a:pPr><a:buAutoNum ${scheme}/></a:pPr>${drawn(text)}</a:p>`;
  const shape = `<p:sp><p:txBody>${numbered('x', 'type="alphaLcParenR" startAt="3"')}
    ${numbered('y', 'type="alphaLcParenR" startAt="3"')}${numbered('z', 'type="romanUcPeriod"')}</p:txBody></p:sp>`;
  assert.deepEqual(listed(slideElements(shape)), ['list: c) x\nd) y\nV. z']);
});

test('links of a web page are absolute', () => {
  const elements = htmlElements(
    parseHtml('<p>See <a href="../b?c=1#d">b</a>'),
    undefined,
    'https://a.example/x/y/',
  );
  assert.deepEqual(listed(elements), ['paragraph: See [b](https://a.example/x/b?c=1#d)']);
});

test('signs that a document itself has for marks are dropped', () => {
  const elements = htmlElements(parseHtml('<p>a\uFDD0b\uFDD2 \uFDD1\uFDE5c'));
  assert.deepEqual(listed(elements), ['paragraph: a~~b~~ c']);
});

async function readMarkdown(text: string): Promise<readonly ElementContent[]> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-inlines-'));
  try {
    const path = join(folder, 'inlines.md');
    await writeFile(path, text);
    const document = await openMarkdown(path, null);
    const [page] = await document.readPages(null, [1]);
    return page?.elements ?? [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
