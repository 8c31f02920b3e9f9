import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import type { DocumentReader } from '../../../engines/document-reader/document-reader.ts';
import { UnreadableDocument, type UnreadableReason } from 'darkroom-reader';
import type { DocumentType } from 'darkroom-reader/document';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { shape, writeEpub, writePptx, writeXlsx } from '../../support/office-files.ts';
import { writeTiff } from '../../support/tiff-writer.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { listed } from '../../support/elements.ts';

const MIB = 2 ** 20;
const signal = AbortSignal.timeout(600_000);
let folder: string;
let reader: DocumentReader;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-documents-'));
  reader = createDocumentReader({ createPool: createProcessPool, slots: 1, maxRssBytes: 1200 * MIB });
});
after(async () => {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
/** The elements of each page, as `type: content`. */
async function read(bytes: Uint8Array | string, type: DocumentType) {
  const path = join(folder, `${++files}.${type}`);
  await writeFile(path, bytes);
  const source = { path, type, tenantId: 'one' };
  const facts = await reader.inspect(source, signal);
  const numbers = Array.from({ length: Math.min(facts.pageCount, 20) }, (_, at) => at + 1);
  const pages = await reader.readPages(source, facts.profile, numbers, signal);
  return {
    ...facts,
    pages: pages.map(({ elements }) => listed(elements)),
    roles: pages.flatMap(({ elements }) => elements.flatMap(({ role }) => role ?? [])),
  };
}

test('a workbook: sheets, shared texts, dates, amounts, merged cells and stored results', async () => {
  const shared = [
    '<t>Month</t>',
    '<r><t>Rev</t></r><r><t>enue</t></r><rPh><t>no</t></rPh>',
    '<t>Total &amp; sum</t>',
  ];
  const rows = `
    <row r="1"><c r="A1" t="s"><v>2</v></c></row>
    <row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="D3" t="inlineStr"><is><t>Share</t></is></c></row>
    <row r="4"><c r="A4" s="1"><v>45000</v></c><c r="B4" s="2"><v>1234.5</v></c><c r="D4" s="3"><v>0.125</v></c></row>
    <row r="5"><c r="B5" s="2"><f>SUM(B4:B4)</f><v>1234.5</v></c><c r="D5" t="b"><v>1</v></c><c r="E5"><v>0.30000000000000004</v></c></row>`;
  const { pages } = await read(
    writeXlsx(
      [
        {
          name: 'Sales &amp; more',
          rows,
          after: '<mergeCells><mergeCell ref="A1:E1"/><mergeCell ref="A4:A5"/></mergeCells>',
        },
        { name: 'Empty', rows: '' },
        { name: 'Notes', rows: '<row><c t="str"><v>One</v></c></row>' },
      ],
      shared,
      ['yyyy\\-mm\\-dd', '#,##0.00\\ &quot;€&quot;', '0.0%'],
    ),
    'xlsx',
  );
  assert.deepEqual(pages, [
    [
      'heading: Sales & more',
      'paragraph: Total & sum',
      'table: | Month | Revenue | Share |  |\n| --- | --- | --- | --- |\n| 2023-03-15 | 1,234.50 € | 12.5% |  |\n| 2023-03-15 | 1,234.50 € | TRUE | 0.3 |',
    ],
    ['heading: Notes', 'paragraph: One'],
  ]);
});

test('a long sheet is divided into tables of a page, each below its header', async () => {
  const row = (at: number) => `<row><c><v>${at}</v></c><c t="str"><v>${'word '.repeat(10)}</v></c></row>`;
  const rows = `<row><c t="str"><v>No.</v></c><c t="str"><v>Words</v></c></row>${Array.from({ length: 500 }, (_, at) => row(at)).join('')}`;
  const { pages, pageCount } = await read(writeXlsx([{ name: 'Long', rows }]), 'xlsx');
  assert.ok(pageCount > 5 && pageCount < 20, String(pageCount));
  for (const page of pages) assert.match(page.join('\n'), /^(heading: Long\n)?table: \| No\. \| Words \|\n/);
});

test('a presentation: titles first, shapes by their place, lists, tables, charts and notes', async () => {
  const bullets =
    '<a:p><a:r><a:t>One</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>In one</a:t></a:r></a:p>';
  const table = `<p:graphicFrame><p:xfrm><a:off x="0" y="5000000"/></p:xfrm><a:graphic><a:graphicData><a:tbl>
    <a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Wide</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"/></a:tr>
    <a:tr><a:tc><a:txBody><a:p><a:r><a:t>1</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>2</a:t></a:r></a:p></a:txBody></a:tc></a:tr>
    </a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const chart = `<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:v>x</c:v><c:strRef><c:strCache><c:pt idx="0"><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>
    <c:cat><c:strRef><c:strCache><c:pt><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>8.2</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
  const { pages, roles } = await read(
    writePptx(
      [
        {
          shapes: [
            shape('Right', { x: 4_000_000, y: 2_050_000 }),
            shape('Left', { x: 100, y: 2_000_000 }),
            table,
            shape(bullets, { placeholder: 'body', x: 0, y: 3_000_000 }),
            shape('The title', { placeholder: 'title', x: 0, y: 9_000_000 }),
            shape('7', { placeholder: 'sldNum', x: 0, y: 9_500_000 }),
          ].join(''),
          notes: 'Say hello',
        },
        { shapes: '' },
        {
          shapes:
            '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c1"/></a:graphicData></a:graphic></p:graphicFrame>',
        },
      ],
      [{ name: 'ppt/charts/chart1.xml', content: chart }],
    ),
    'pptx',
  );
  assert.deepEqual(pages, [
    [
      'heading: The title',
      'paragraph: Left',
      'paragraph: Right',
      'list: - One\n  - In one',
      'table: | Wide | Wide |\n| --- | --- |\n| 1 | 2 |',
      'paragraph: 7',
      'paragraph: Say hello',
    ],
    [],
    ['table: |  | Sales |\n| --- | --- |\n| North | 8.2 |'],
  ]);
  assert.deepEqual(roles, ['page_footer', 'notes']);
});

test('a book: chapters in the order of reading, each once, on pages of their own', async () => {
  const { pages, title, author } = await read(
    writeEpub({
      'b%20b.xhtml':
        '<html><head><title/></head><body><h1>First</h1><p>Words<a id="x"/> here</p></body></html>',
      'a.xhtml': '<html><body><p>Second&nbsp;part</p></body></html>',
    }),
    'epub',
  );
  assert.deepEqual([title, author], ['A Book', 'Ada Reader']);
  assert.deepEqual(pages, [['heading: First', 'paragraph: Words here'], ['paragraph: Second part']]);
});

const TABLE: readonly [what: string, bytes: Buffer | string, elements: string[]][] = [
  ['semicolons', 'a;b\n1,5;"x;\ny"\n', ['table: | a | b |\n| --- | --- |\n| 1,5 | x; y |']],
  ['a named delimiter', 'sep=|\r\na|b,c\r\n', ['table: | a | b,c |\n| --- | --- |']],
  [
    'tabs in UTF-16',
    Buffer.from('\uFEFFa\tb\nü\t2\n', 'utf16le'),
    ['table: | a | b |\n| --- | --- |\n| ü | 2 |'],
  ],
  [
    'Windows-1252',
    Buffer.from('a,b\nMüller,2\n', 'latin1'),
    ['table: | a | b |\n| --- | --- |\n| Müller | 2 |'],
  ],
  [
    'a title above',
    'Prices of 2026\n\na,b\n1,2\n',
    ['paragraph: Prices of 2026', 'table: | a | b |\n| --- | --- |\n| 1 | 2 |'],
  ],
  ['a quote that never ends', 'a,b\n"1,2\n3,4\n', ['table: | a | b |\n| --- | --- |\n| "1 | 2 |\n| 3 | 4 |']],
];
for (const [what, bytes, elements] of TABLE)
  test(`a CSV: ${what}`, async () => {
    const { pages } = await read(bytes, 'csv');
    assert.deepEqual(pages, [elements]);
  });

test('HTML in the encoding that it names, and UTF-8 even if it names another', async () => {
  const page = (charset: string) => `<meta charset=${charset}><p>Привет, мир`;
  const cyrillic = Buffer.concat([
    Buffer.from('<meta charset=windows-1251><p>'),
    Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
  ]);
  assert.deepEqual((await read(cyrillic, 'html')).pages, [['paragraph: Привет']]);
  assert.deepEqual((await read(page('nonsense'), 'html')).pages, [['paragraph: Привет, мир']]);
  assert.deepEqual((await read(page('utf-16'), 'html')).pages, [['paragraph: Привет, мир']]);
});

test('a TIFF of several pages: each is recognised, at 200 dpi; a page too large fails alone', async () => {
  const page = (width: number, height: number, dpi: number) => ({
    width,
    height,
    dpi,
    grey: new Uint8Array(width * height).fill(255),
  });
  const giant = { width: 100_000, height: 100_000, grey: new Uint8Array(9) };
  const path = join(folder, 'scan.tiff');
  await writeFile(path, writeTiff([page(1600, 1200, 400), giant, page(9, 9, 200)], { endless: true }));
  const source = { path, type: 'tiff', tenantId: 'one' } as const;
  assert.deepEqual((await reader.inspect(source, signal)).pagesToRecognise, [1, 2, 3]);
  const { width, height, dpi } = await reader.renderPage(source, 1, signal);
  assert.deepEqual([width, height, dpi], [800, 600, 200]);
  await assert.rejects(reader.renderPage(source, 2, signal), { reason: 'too_large' });
  assert.equal((await reader.renderPage(source, 3, signal)).width, 9);
});

const laughs = `<!DOCTYPE l [<!ENTITY a "ha ha ">${Array.from('bcdefghij', (name, at) => `<!ENTITY ${name} "${`&${'abcdefghi'.charAt(at)};`.repeat(10)}">`).join('')}]>`;
const cell = '<c><v>1</v></c>';

const HOSTILE: readonly {
  what: string;
  type: DocumentType;
  bytes: () => Buffer | string;
  /** Why it cannot be read; else it is read. */
  reason?: UnreadableReason;
}[] = [
  {
    what: 'another archive',
    type: 'xlsx',
    bytes: () => writeZip([{ name: 'a', content: 'a' }]),
    reason: 'damaged',
  },
  { what: 'a presentation', type: 'xlsx', bytes: () => writePptx([{ shapes: '' }]), reason: 'damaged' },
  { what: 'no archive', type: 'pptx', bytes: () => 'PK no', reason: 'damaged' },
  {
    what: 'no list of parts',
    type: 'epub',
    bytes: () => writeZip([{ name: 'META-INF/container.xml', content: '<a/>' }]),
    reason: 'damaged',
  },
  { what: 'a part of 500 MB', type: 'xlsx', bytes: () => large('xl/workbook.xml'), reason: 'too_large' },
  {
    what: 'a part of 500 MB',
    type: 'pptx',
    bytes: () => large('ppt/presentation.xml'),
    reason: 'too_large',
  },
  {
    what: 'a part of 500 MB',
    type: 'epub',
    bytes: () => large('META-INF/container.xml'),
    reason: 'too_large',
  },
  {
    what: 'entities that expand',
    type: 'xlsx',
    bytes: () =>
      writeXlsx(
        [{ name: 'a', rows: `<row>${cell}</row>` }],
        [],
        [],
        [{ name: 'xl/_rels/x.rels', content: laughs }],
      ),
  },
  {
    what: 'entities that expand',
    type: 'epub',
    bytes: () => writeEpub({ 'a.xhtml': `${laughs}<p>&j; words</p>` }),
  },
  {
    what: 'more than a million cells',
    type: 'xlsx',
    bytes: () => writeXlsx([{ name: 'a', rows: `<row>${cell.repeat(1_000)}</row>`.repeat(1_001) }]),
    reason: 'too_large',
  },
  {
    what: 'few cells far apart',
    type: 'xlsx',
    bytes: () =>
      writeXlsx([
        {
          name: 'a',
          rows: Array.from(
            { length: 10_000 },
            (_, at) =>
              `<row r="${at + 1}"><c r="${column(at)}${at + 1}"><v>1</v></c><c r="${column(at + 1)}${at + 1}"><v>1</v></c></row>`,
          ).join(''),
        },
      ]),
    reason: 'too_large',
  },
  {
    what: 'merged cells that cover the whole sheet, a thousand times',
    type: 'xlsx',
    bytes: () =>
      writeXlsx([
        {
          name: 'a',
          rows: `<row r="1">${cell}</row><row r="1048576">${cell}</row>`,
          after: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000)}</mergeCells>`,
        },
      ]),
  },
  {
    what: 'one text of a megabyte in a thousand cells',
    type: 'xlsx',
    bytes: () =>
      writeXlsx(
        [{ name: 'a', rows: `<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>` }],
        [`<t>${'x'.repeat(MIB)}</t>`],
      ),
    reason: 'too_large',
  },
  {
    what: 'a slide that is missing',
    type: 'pptx',
    bytes: () =>
      writeZip([
        {
          name: 'ppt/presentation.xml',
          content: '<p:presentation><p:sldIdLst><p:sldId r:id="x"/></p:sldIdLst></p:presentation>',
        },
      ]),
    reason: 'damaged',
  },
  {
    what: 'a group in a group, 100,000 deep',
    type: 'pptx',
    bytes: () => writePptx([{ shapes: '<p:grpSp>'.repeat(100_000) + shape('x') }]),
    reason: 'too_large',
  },
  {
    what: 'a division in a division, 100,000 deep',
    type: 'html',
    bytes: () => `${'<div>'.repeat(100_000)}deep`,
    reason: 'too_large',
  },
  {
    what: 'spans of a million cells in each row',
    type: 'html',
    bytes: () => `<table>${`<tr>${'<td colspan=1000>a'.repeat(100)}`.repeat(100)}</table>`,
    reason: 'too_large',
  },
  {
    what: 'two million elements',
    type: 'html',
    bytes: () => '<br>'.repeat(2_000_001),
    reason: 'too_large',
  },
  { what: 'no text', type: 'html', bytes: () => '<script>x</script>', reason: 'empty' },
  { what: 'a row of 100,000 columns', type: 'csv', bytes: () => 'c,'.repeat(100_000), reason: 'too_large' },
  { what: 'one line of 100 MB', type: 'csv', bytes: () => 'x'.repeat(100 * MIB), reason: 'too_large' },
  {
    what: '10,001 pages',
    type: 'tiff',
    bytes: () =>
      writeTiff(Array.from({ length: 10_001 }, () => ({ width: 1, height: 1, grey: new Uint8Array(1) }))),
    reason: 'too_many_pages',
  },
  { what: 'no TIFF', type: 'tiff', bytes: () => 'II*', reason: 'damaged' },
  { what: 'a quote in every second byte', type: 'csv', bytes: () => '"a'.repeat(MIB / 2) },
  {
    what: 'a cell longer than a page may be',
    type: 'csv',
    bytes: () => 'a'.repeat(2 * MIB),
    reason: 'too_large',
  },
];

for (const { what, type, bytes, reason } of HOSTILE)
  test(`${type}: ${what} is ${reason ?? 'read'}`, async () => {
    const outcome = await read(bytes(), type).catch((error: unknown) => error);
    if (reason === undefined) return assert.ok(!(outcome instanceof Error), String(outcome));
    assert.ok(outcome instanceof UnreadableDocument, String(outcome));
    assert.equal(outcome.reason, reason, outcome.message);
  });

/** An archive of which one part claims to be half a gigabyte. */
function large(name: string): Buffer {
  return writeZip([{ name, content: 'x', claimedSize: 2 ** 29 }]);
}

/** The letters of a column, from 0. */
function column(at: number): string {
  return at < 26 ? String.fromCodePoint(65 + at) : `${column(Math.floor(at / 26) - 1)}${column(at % 26)}`;
}
