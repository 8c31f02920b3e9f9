/** What Office programs show is read, what authors hid is not, and a note says so. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readingNote } from 'darkroom-reader/document';
import { openDocument } from 'darkroom-reader/open';
import { numberFormats, textFormats } from '../../../packages/reader/src/xlsx/number-formats.ts';
import { parseXml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { shown } from '../../support/elements.ts';
import { writeZip } from '../../support/zip-writer.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-shown-'))));
after(() => rm(folder, { recursive: true, force: true }));

const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...entries: [id: string, type: string, target: string][]): string =>
  `<Relationships>${entries
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${R}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

async function read(
  type: 'docx' | 'xlsx' | 'pptx' | 'odt' | 'md',
  parts: Record<string, string> | string,
): Promise<{ lines: string[]; note: string | null }> {
  const path = join(folder, `document.${type}`);
  const bytes =
    typeof parts === 'string'
      ? parts
      : writeZip(Object.entries(parts).map(([name, content]) => ({ name, content })));
  await writeFile(path, bytes);
  const document = await openDocument({ path, type });
  const { profile } = await document.inspect();
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages(profile, numbers);
  const lines = pages.flatMap(({ elements }) =>
    shown(elements).map(({ type: kind, content, metadata: { role } }) => `${role ?? kind}: ${content}`),
  );
  return { lines, note: readingNote(profile) };
}

const BUILT_IN: readonly [id: number, value: string, shown: string][] = [
  [5, '-1234', '(1,234)'],
  [7, '1234.5', '1,234.50'],
  [14, '45292', '2024-01-01'],
  [27, '45292', '2024-01-01'],
  [31, '45292', '2024-01-01'],
  [32, '0.5', '12:00'],
  [33, '0.50001', '12:00:01'],
  [34, '0.75', '18:00'],
  [34, '45292', '2024-01-01'],
  [36, '45292', '2024-01-01'],
  [41, '0', '-'],
  [44, '-1234.5', '(1,234.50)'],
  [50, '45292', '2024-01-01'],
  [55, '45306', '2024-01-15'],
  [45, '0.00312', '04:30'],
  [45, '0.5', '00:00'],
  [47, '0.00312', '04:29.6'],
  [56, '0.25', '06:00'],
  [58, '45306', '2024-01-15'],
  [61, '1234', '1,234'],
  [67, '0.5', '50%'],
  [71, '45292', '2024-01-01'],
  [77, '45292.5', '2024-01-01 12:00'],
  [81, '45292', '2024-01-01'],
  [26, '45292', '45292'],
  [99, '45292', '45292'],
];
test('XLSX: what the format of a cell writes around a text is read', () => {
  const styles = parseXml(
    `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="&quot;No. &quot;@"/><numFmt numFmtId="171" formatCode="0;-0;0;(@)"/><numFmt numFmtId="172" formatCode="_-* #,##0_-;-* #,##0_-;_-@_-"/>
     <numFmt numFmtId="173" formatCode="${'@'.repeat(255)}"/><numFmt numFmtId="174" formatCode="@&quot;${'x'.repeat(200)}&quot;"/></numFmts>
     <cellXfs><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="49"/><xf numFmtId="172"/><xf numFmtId="173"/><xf numFmtId="174"/></cellXfs></styleSheet>`,
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((style) => textFormats(styles)(' A-1', style)),
    ['No.  A-1', '( A-1)', ' A-1', ' A-1', ' A-1', ' A-1'],
  );
});

for (const [id, value, text] of BUILT_IN)
  test(`XLSX: ${value} in the built-in format ${id} is ${text}`, () => {
    const styles = parseXml(`<styleSheet><cellXfs><xf numFmtId="${id}"/></cellXfs></styleSheet>`);
    assert.equal(numberFormats(styles, false)(value, 0), text);
  });

const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
function workbook(
  sheets: readonly [name: string, state: string, xml: string][],
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    'xl/workbook.xml': `<workbook xmlns:r="${R}"><sheets>${sheets
      .map(
        ([name, state], at) => `<sheet name="${name}" state="${state}" sheetId="${at + 1}" r:id="r${at}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, at): [string, string, string] => [`r${at}`, 'worksheet', `worksheets/s${at}.xml`]),
    ),
    ...Object.fromEntries(
      sheets.map(([, , xml], at) => [`xl/worksheets/s${at}.xml`, `<worksheet>${xml}</worksheet>`]),
    ),
    ...more,
  };
}
const row = (attributes: string, ...texts: string[]): string =>
  `<row ${attributes}>${texts.map(cell).join('')}</row>`;

test('XLSX: hidden sheets, rows and columns are not read, and a note says so', async () => {
  const { lines, note } = await read(
    'xlsx',
    workbook([
      [
        'Public',
        'visible',
        `<cols><col min="2" max="3" hidden="1"/></cols><sheetData>${row('', 'Name', 'Cost', 'Margin', 'Price')}${row(
          'hidden="1"',
          'Internal',
          '1',
          '2',
          '3',
        )}${row('', 'Hose', '5', '6', '9')}</sheetData>`,
      ],
      ['Secret', 'hidden', `<sheetData>${row('', 'a', 'b')}</sheetData>`],
      ['Deep', 'veryHidden', `<sheetData>${row('', 'a', 'b')}</sheetData>`],
    ]),
  );
  assert.deepEqual(lines, ['heading: Public', 'table: | Name | Price |\n| --- | --- |\n| Hose | 9 |']);
  assert.equal(note, 'Hidden sheets were not read: Secret, Deep. Hidden rows and columns were not read.');
});

test('XLSX: rows that a filter hides, and those of a collapsed group, are read', async () => {
  for (const [attributes, filter] of [
    ['hidden="1"', '<autoFilter ref="A1:B3"><filterColumn colId="0"/></autoFilter>'],
    ['hidden="1" outlineLevel="1"', ''],
  ] as const) {
    const xml = `<sheetData>${row('', 'Name', 'Price')}${row(attributes, 'Pump', '7')}</sheetData>${filter}`;
    const { lines, note } = await read('xlsx', workbook([['One', 'visible', xml]]));
    assert.match(lines[1] ?? '', /Pump/);
    assert.equal(note, null);
  }
});

test('XLSX: characters that are escaped are those that are meant', async () => {
  const xml = `<sheetData>${row('', 'a_x000D_b', 'c_x000D_\nd')}${row('', 'e_x005F_x000D_f', 'snake_x_case')}
    <row><c t="s"><v>0</v></c><c t="str"><v>g_x0041_h</v></c></row></sheetData>`;
  const { lines } = await read('xlsx', {
    ...workbook([['One', 'visible', xml]]),
    'xl/sharedStrings.xml': '<sst><si><r><t>i_x000D_</t></r><r><t>j</t></r></si></sst>',
  });
  assert.match(lines[1] ?? '', /a\Wb/);
  assert.match(lines[1] ?? '', /c\Wd/);
  assert.match(lines[1] ?? '', /e_x000D_f \| snake_x_case/);
  assert.match(lines[1] ?? '', /i\Wj \| gAh/);
  assert.doesNotMatch(lines[1] ?? '', /x0041/);
});

test('XLSX: remarks on cells are notes of their sheet', async () => {
  const sheet = `<sheetData>${row('', 'Item', 'Price')}</sheetData>`;
  const comments = `<comments><commentList><comment ref="B1"><text><r><t>Valid until </t></r><r><t>March</t></r></text></comment></commentList></comments>`;
  const old = await read(
    'xlsx',
    workbook([['One', 'visible', sheet]], {
      'xl/worksheets/_rels/s0.xml.rels': relations(['c', 'comments', '../comments1.xml']),
      'xl/comments1.xml': comments,
    }),
  );
  assert.equal(old.lines.at(-1), 'notes: B1: Valid until March');
  const threaded = await read(
    'xlsx',
    workbook([['One', 'visible', sheet]], {
      'xl/worksheets/_rels/s0.xml.rels': relations(
        ['c', 'comments', '/xl/comments1.xml'],
        ['t', 'threadedComment', '/xl/threadedComments/threadedComment1.xml'],
      ),
      'xl/comments1.xml': comments,
      'xl/threadedComments/threadedComment1.xml':
        '<ThreadedComments><threadedComment ref="B1"><text>Why?</text></threadedComment><threadedComment ref="B1"><text>Tax.</text></threadedComment></ThreadedComments>',
    }),
  );
  assert.deepEqual(threaded.lines.slice(-2), ['notes: B1: Why?', 'notes: B1: Tax.']);
});

const sp = (ph: string, text: string, place = '', about = ''): string =>
  `<p:sp><p:nvSpPr><p:cNvPr ${about}/><p:nvPr>${ph && `<p:ph ${ph}/>`}</p:nvPr></p:nvSpPr><p:spPr>${
    place && `<a:xfrm><a:off x="0" y="${place}"/></a:xfrm>`
  }</p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const tree = (root: string, shapes: string, attributes = ''): string =>
  `<p:${root} ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
const deck = (slides: readonly string[], more: Record<string, string> = {}): Record<string, string> => ({
  'ppt/presentation.xml': `<p:presentation xmlns:r="${R}"><p:sldIdLst>${slides
    .map((_, at) => `<p:sldId r:id="r${at}"/>`)
    .join('')}</p:sldIdLst></p:presentation>`,
  'ppt/_rels/presentation.xml.rels': relations(
    ...slides.map((_, at): [string, string, string] => [`r${at}`, 'slide', `slides/s${at}.xml`]),
  ),
  ...Object.fromEntries(slides.map((xml, at) => [`ppt/slides/s${at}.xml`, xml])),
  ...more,
});

test('PPTX: a placeholder has the place of its layout, or of the master behind it', async () => {
  const slide = tree(
    'sld',
    sp('idx="1"', 'body') + sp('type="subTitle" idx="4"', 'below') + sp('', 'above', '1000000'),
  );
  const behind = {
    'ppt/slides/_rels/s0.xml.rels': relations(['l', 'slideLayout', '../slideLayouts/l.xml']),
    'ppt/slideLayouts/l.xml': tree(
      'sldLayout',
      sp('idx="1"', '') + sp('type="subTitle" idx="4"', '', '6000000'),
    ),
    'ppt/slideLayouts/_rels/l.xml.rels': relations(['m', 'slideMaster', '../slideMasters/m.xml']),
    'ppt/slideMasters/m.xml': tree('sldMaster', sp('type="body" idx="1"', '', '3000000')),
  };
  const { lines } = await read('pptx', deck([slide], behind));
  assert.deepEqual(lines, ['paragraph: above', 'paragraph: body', 'paragraph: below']);
});

test('PPTX: rows and columns begin at the right on slides in Arabic or Hebrew, also in groups', async () => {
  const box = (text: string, x: number, y: number, [cx, cy] = [400, 300]) =>
    sp('', text).replace(
      '<p:spPr>',
      `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm>`,
    );
  const group = (shapes: string) =>
    `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="600"/><a:ext cx="900" cy="300"/></a:xfrm></p:grpSpPr>${shapes}</p:grpSp>`;
  const [arabic, hebrew, english] = [
    ['عنوان الصفحة', 'العمود الأيسر', 'العمود الأيمن', 'PDF أيسر', 'أيمن'],
    ['כותרת השקף', 'טור שמאלי', 'טור ימני', 'שמאל', 'ימין'],
    ['The title', 'The left', 'The right', 'left', 'عربي'],
  ] as const;
  const slides = [arabic, hebrew, english].map(([title, left, right, low, last]) =>
    tree(
      'sld',
      box(left, 0, 200) +
        box(right, 500, 200) +
        sp('type="title"', title) +
        group(box(low, 0, 600) + box(last, 500, 600)),
    ),
  );
  const { lines } = await read('pptx', deck(slides));
  const inOrder = (order: readonly number[], texts: readonly string[]) => order.map((at) => texts[at]);
  assert.deepEqual(
    lines.map((line) => line.replace(/^\w+: /, '')),
    [...inOrder([0, 2, 1, 4, 3], arabic), ...inOrder([0, 2, 1, 4, 3], hebrew), ...english],
  );
});

test('PPTX: hidden slides and shapes are not read, slides keep their numbers, remarks are notes', async () => {
  const { lines, note } = await read(
    'pptx',
    deck(
      [
        tree('sld', sp('', 'one_x000B_two') + sp('', 'secret', '', 'hidden="1"')),
        tree('sld', sp('', 'draft'), 'show="0"'),
        tree('sld', sp('', 'three')),
      ],
      {
        'ppt/slides/_rels/s2.xml.rels': relations(['c', 'comments', '../comments/comment1.xml']),
        'ppt/comments/comment1.xml': '<p:cmLst><p:cm><p:pos/><p:text>Check this</p:text></p:cm></p:cmLst>',
      },
    ),
  );
  assert.deepEqual(lines, ['paragraph: one\ntwo', 'paragraph: three', 'notes: Check this']);
  assert.equal(note, 'Hidden slides were not read: 2.');
});

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const word = (body: string, links: [string, string, string][], more: Record<string, string> = {}) => ({
  '_rels/.rels': relations(['d', 'officeDocument', 'word/document.xml']),
  'word/document.xml': `<w:document ${W} xmlns:r="${R}"><w:body>${body}</w:body></w:document>`,
  'word/_rels/document.xml.rels': relations(...links),
  ...more,
});
const p = (content: string): string => `<w:p><w:r><w:t>${content}</w:t></w:r></w:p>`;

test('DOCX: imported parts stand in their place, and a note names those that are not read', async () => {
  const { lines, note } = await read(
    'docx',
    word(
      `${p('before')}<w:altChunk r:id="h"/>${p('between')}<w:altChunk r:id="t"/><w:tbl><w:tr><w:tc><w:altChunk r:id="t"/></w:tc><w:tc>${p('x')}</w:tc></w:tr></w:tbl><w:altChunk r:id="m"/><w:altChunk r:id="none"/>`,
      [
        ['h', 'aFChunk', 'part1.html'],
        ['t', 'aFChunk', '/chunks/plain.txt'],
        ['m', 'aFChunk', 'part3.mht'],
      ],
      {
        'word/part1.html': '<meta charset=utf-8><h2>Findings</h2><p>It leaks.',
        'chunks/plain.txt': 'from a text',
        'word/part3.mht': 'MIME-Version: 1.0',
      },
    ),
  );
  assert.deepEqual(lines, [
    'paragraph: before',
    'heading: Findings',
    'paragraph: It leaks.',
    'paragraph: between',
    'paragraph: from a text',
    'table: | from a text | x |\n| --- | --- |',
  ]);
  assert.match(note ?? '', /type \.mht was not read.*type unknown was not read/);
});

test('DOCX: remarks are notes once, and prompts of empty controls are no text', async () => {
  const prompt = (content: string) =>
    `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
  const { lines, note } = await read(
    'docx',
    word(
      `<w:p><w:r><w:t>Term</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r><w:r><w:commentReference w:id="3"/></w:r></w:p>
       <w:p><w:r><w:t>Choice: </w:t></w:r>${prompt('<w:r><w:t>Choose an item.</w:t></w:r>')}</w:p>${prompt(p('Click here.'))}
       <w:tbl><w:tr><w:tc>${p('a')}</w:tc>${prompt(`<w:tc>${p('Enter a date.')}</w:tc>`)}<w:tc>${p('c')}</w:tc></w:tr></w:tbl>
       <w:p><w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>filled</w:t></w:r></w:sdtContent></w:sdt></w:p>`,
      [['c', 'comments', 'comments.xml']],
      {
        'word/comments.xml': `<w:comments ${W}><w:comment w:id="3">${p('Too short?')}</w:comment></w:comments>`,
      },
    ),
  );
  assert.deepEqual(lines, [
    'paragraph: Term',
    'paragraph: Choice:',
    'table: | a |  | c |\n| --- | --- | --- |',
    'paragraph: filled',
    'notes: Too short?',
  ]);
  assert.equal(note, null);
});

test('a document with nothing but pictures says that their text was not read', async () => {
  const { note } = await read(
    'pptx',
    deck([tree('sld', '<p:pic><p:nvPicPr><p:cNvPr/></p:nvPicPr></p:pic>'), tree('sld', sp('', 'text'))]),
  );
  assert.equal(note, 'Text in pictures was not read; 1 page(s) have nothing else.');
});

test('XLSX: strings in their cells keep the looks of their parts, without how they are pronounced', async () => {
  const { lines } = await read('xlsx', {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="s1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations(['s1', 'worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row><c t="inlineStr"><is><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r></is></c>
      <c t="inlineStr"><is><r><rPr><strike/></rPr><t>old</t></r><r><t> new</t></r></is></c><c t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c></row></sheetData></worksheet>`,
  });
  assert.deepEqual(lines, ['heading: A', 'table: | 10⁶ | ~~old~~ new | 東京 |\n| --- | --- | --- |']);
});

test('XLSX: times keep the fractions of a second that their format shows', () => {
  const styles = parseXml(
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy-mm-dd hh:mm:ss.000"/></numFmts><cellXfs><xf numFmtId="170"/></cellXfs></styleSheet>',
  );
  const show = numberFormats(styles, false);
  assert.equal(show('45292.4229456', 0), '2024-01-01 10:09:02.500');
  assert.equal(show('45292.5', 0), '2024-01-01 12:00');
});

test('XLSX: struck-out, raised and linked text of cells keeps what it says', async () => {
  const { lines } = await read('xlsx', {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="s1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations(['s1', 'worksheet', 'worksheets/sheet1.xml']),
    'xl/styles.xml':
      '<styleSheet><fonts><font/><font><strike/></font></fonts><cellXfs><xf/><xf fontId="1"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml':
      '<sst><si><r><t>25 m</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r><r><rPr><strike/></rPr><t xml:space="preserve"> old</t></r></si><si><t>Site</t></si></sst>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
      <row r="2"><c r="A2" s="1"><v>7</v></c><c r="B2"><v>8</v></c></row></sheetData><hyperlinks><hyperlink ref="B1" r:id="l1"/><hyperlink ref="A2" r:id="none"/></hyperlinks></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels':
      '<Relationships><Relationship Id="l1" Type="x/hyperlink" Target="https://mill.example/a" TargetMode="External"/></Relationships>',
  });
  assert.deepEqual(lines, [
    'heading: A',
    'table: | 25 m² ~~old~~ | [Site](https://mill.example/a) |\n| --- | --- |\n| ~~7~~ | 8 |',
  ]);
});

const MARKDOWN: readonly [what: string, text: string, lines: string[]][] = [
  [
    'a table',
    '# T\n\n<table><tr><th>Part</th><th>Qty</th></tr><tr><td>Bolt</td><td>10</td></tr></table>\n',
    ['heading: T', 'table: | Part | Qty |\n| --- | --- |\n| Bolt | 10 |'],
  ],
  [
    'a table with blank lines',
    '<table>\n\n<tr><th>A</th><th>B</th></tr>\n\n<tr><td>1</td><td>2</td></tr>\n\n</table>\n',
    ['table: | A | B |\n| --- | --- |\n| 1 | 2 |'],
  ],
  ['a list and a heading', '<h2>H</h2>\n<ol start=3><li>c<li>d</ol>\n', ['heading: H', 'list: 3. c\n4. d']],
  ['breaks in a line', 'Text<br>more<br/>text\n', ['paragraph: Text\nmore\ntext']],
  [
    'a block around Markdown',
    '<details><summary>Sum</summary>\n\nInner *text*\n\n</details>\n',
    ['paragraph: Sum', 'paragraph: Inner text'],
  ],
  ['scripts and comments', '<script>x = 1</script>\n\n<!-- no -->\n\nText\n', ['paragraph: Text']],
  ['code', '<pre>a\n  b</pre>\n', ['code: a\n  b']],
  ['how words are pronounced', '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>\n', ['paragraph: 漢(かん)']],
  ['tags in words', 'a <b>bold</b> <i>word</i>, and x<sub>2</sub>\n', ['paragraph: a bold word, and x₂']],
];
for (const [what, text, lines] of MARKDOWN)
  test(`Markdown: HTML is read like a page: ${what}`, async () => {
    assert.deepEqual((await read('md', text)).lines, lines);
  });

test('Markdown: notes have their marks, and a single tilde strikes nothing out', async () => {
  const { lines } = await read(
    'md',
    'H~2~O, 5~10 and 7~9[^1], ~~old~~[^b].\n\n[^1]: First\n\n[^b]: Second\n',
  );
  assert.deepEqual(lines, [
    'paragraph: H~2~O, 5~10 and 7~9[1], ~~old~~[b].',
    'footnote: [1] First',
    'footnote: [b] Second',
  ]);
});

test('text boxes and titles of charts on a sheet follow its cells', async () => {
  const { lines } = await read('xlsx', {
    'xl/workbook.xml': `<workbook xmlns:r="${R}"><sheets><sheet name="A" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheet', 'worksheets/one.xml']),
    'xl/worksheets/one.xml': '<worksheet><row><c t="str"><v>cell</v></c></row></worksheet>',
    'xl/worksheets/_rels/one.xml.rels': relations(['r1', 'drawing', '../drawings/drawing1.xml']),
    'xl/drawings/drawing1.xml': `<xdr:wsDr><xdr:twoCellAnchor><xdr:sp><xdr:txBody><a:p><a:r><a:t>in a box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>
      <xdr:oneCellAnchor><xdr:sp><xdr:nvSpPr><xdr:cNvPr hidden="1"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>no</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:oneCellAnchor></xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relations(['r1', 'chart', '../charts/chart1.xml']),
    'xl/charts/chart1.xml':
      '<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title></c:chart></c:chartSpace>',
  });
  assert.deepEqual(lines, ['heading: A', 'paragraph: cell', 'paragraph: in a box', 'figure: Sales']);
});

test('an OpenDocument: lists without ids begin anew, charts have titles and values, fonts of symbols their signs', async () => {
  const level = (start: number, format: string): string =>
    `<text:list-style style:name="L${start}"><text:list-level-style-number text:level="1" style:num-format="${format}" style:num-suffix="." text:start-value="${start}"/></text:list-style>`;
  const list = (start: number): string =>
    `<text:list text:style-name="L${start}"><text:list-item><text:p>one</text:p></text:list-item></text:list>`;
  const { lines } = await read('odt', {
    'content.xml': `<office:document-content><office:automatic-styles>${level(7, '1')}${level(4, 'I')}
      <style:style style:name="T1" style:family="text"><style:text-properties style:font-name="Wingdings1"/></style:style></office:automatic-styles>
      <office:body><office:text>${list(7)}<text:p>between <text:span text:style-name="T1">\uF0FE</text:span></text:p>${list(4)}
      <text:p><draw:frame><draw:object xlink:href="./Object 1"><loext:p/></draw:object></draw:frame></text:p></office:text></office:body></office:document-content>`,
    'Object 1/content.xml': `<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title>
      <table:table><table:table-row><table:table-cell><text:p>East</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>
      </chart:chart></office:chart></office:body></office:document-content>`,
  });
  assert.deepEqual(lines, [
    'list: 7. one',
    'paragraph: between ☑',
    'list: IV. one',
    'paragraph: Sales',
    'table: | East | 2 |\n| --- | --- |',
  ]);
});

test('a caption beside a table or a figure says that it is one; a sentence does not', async () => {
  const table = '| a | b |\n| --- | --- |\n| 1 | 2 |';
  const { lines } = await read(
    'md',
    `Table 1. Lengths\n\n${table}\n\nTable 1 shows lengths.\n\nTable 2: Widths\n\nText`,
  );
  assert.deepEqual(lines, [
    'caption: Table 1. Lengths',
    `table: ${table}`,
    'paragraph: Table 1 shows lengths.',
    'paragraph: Table 2: Widths',
    'paragraph: Text',
  ]);
  const texts: [text: string, isCaption: boolean][] = [
    ['Figure 3. overview of the system', true],
    ['Table 3.2a Widths of rivers', true],
    ['表1:各地区的销售额', true],
    ['表1 各地区的销售额', true],
    ['Tab. 4 Längen', true],
    ['Box 2: Terms', true],
    ['表1显示了各地区的销售额。', false],
    ['表1 显示了各地区的销售额。', false],
    ['表1 列出了各地区的销售额：', false],
    ['図2 に示すように、', false],
    ['表 2 是 2025 年的数据，单位为万元；', false],
    ['يوضح الجدول', false],
    ['جدول ١ يوضح المبيعات', false],
    ['Table 2 IBM reported higher numbers.', false],
    ['Plate 7 Main Street', false],
    ['Box 1234 Springfield IL', false],
    ['Tab 4 (Home) opens the dialog', false],
  ];
  for (const [text, isCaption] of texts)
    assert.equal(
      (await read('md', `${text}\n\n${table}`)).lines[0],
      `${isCaption ? 'caption' : 'paragraph'}: ${text}`,
    );
});
