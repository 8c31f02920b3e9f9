import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlElements } from '../../../packages/reader/src/html/html-elements.ts';
import { InlineMarks } from '../../../packages/reader/src/inline/inline-marks.ts';
import { childrenOf, parseHtml, parseXml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { shapeElements } from '../../../packages/reader/src/pptx/slide-elements.ts';
import { CellCount } from '../../../packages/reader/src/flow/grid.ts';
import { sheetElements } from '../../../packages/reader/src/flow/sheet.ts';
import { readSheet } from '../../../packages/reader/src/xlsx/read-sheet.ts';
import type { ElementContent } from 'darkroom-reader/document';
import { readDocxPages, words } from '../../support/docx-parts.ts';

/** A name over two rows beside a size over two columns, and two lines in a cell below. */
const HTML = `<table><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>A<th>B<tr><td>pump<td>2<br>3<td>4</table>`;

const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const headed = (...cells: string[]) => `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cells.join('')}</w:tr>`;
const DOCX = `<w:tbl>${headed(
  cell(words('Name'), '<w:vMerge w:val="restart"/>'),
  cell(words('Size'), '<w:gridSpan w:val="2"/>'),
)}${headed(cell('<w:p/>', '<w:vMerge/>'), cell(words('A')), cell(words('B')))}${row(
  cell(words('pump')),
  cell(`${words('2')}${words('3')}`),
  cell(words('4')),
)}</w:tbl>`;

const OLD_DOCX = DOCX.replace(
  cell(words('Size'), '<w:gridSpan w:val="2"/>'),
  cell(words('Size'), '<w:hMerge w:val="restart"/>') + cell('<w:p/>', '<w:hMerge/>'),
);

const drawn = (text: string) =>
  `<a:txBody>${text
    .split(' ')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</a:txBody>`;
const PPTX = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>
  <a:tr><a:tc rowSpan="2">${drawn('Name')}</a:tc><a:tc gridSpan="2">${drawn('Size')}</a:tc><a:tc hMerge="1"/></a:tr>
  <a:tr><a:tc vMerge="1"/><a:tc>${drawn('A')}</a:tc><a:tc>${drawn('B')}</a:tc></a:tr>
  <a:tr><a:tc>${drawn('pump')}</a:tc><a:tc>${drawn('2 3')}</a:tc><a:tc>${drawn('4')}</a:tc></a:tr>
</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const XLSX = `<worksheet><sheetData><row>${text('Name')}${text('Size')}</row>
  <row><c/>${text('A')}${text('B')}</row><row>${text('pump')}${text('2\n3')}${text('4')}</row></sheetData>
  <mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells></worksheet>`;

const KINDS: readonly [name: string, read: () => Promise<readonly ElementContent[]>][] = [
  ['HTML', async () => htmlElements(parseHtml(HTML))],
  ['a Word document', async () => (await readDocxPages(DOCX)).flat()],
  ['a Word document with cells of Word 97', async () => (await readDocxPages(OLD_DOCX)).flat()],
  [
    'a workbook',
    async () => {
      const workbook = {
        strings: [],
        showNumber: String,
        showText: String,
        cells: new CellCount(),
        struckStyles: new Set<number>(),
        marks: new InlineMarks(),
      };
      return sheetElements(readSheet(XLSX, workbook).rows);
    },
  ],
  [
    'a slide',
    async () => {
      const [node] = childrenOf(parseXml(PPTX));
      assert.ok(node);
      const shape = { node, placeholder: undefined, isTitle: false, x: 0, y: 0, width: 0, height: 0 };
      const looks = { marks: new InlineMarks(), targets: new Map<string, string>() };
      return shapeElements(shape, { parts: new Map(), pictures: new Map(), cells: new CellCount(), looks });
    },
  ],
];

for (const [name, read] of KINDS)
  test(`merged cells, lines in cells and header rows of ${name} are kept`, async () => {
    const says = name === 'HTML' || name.startsWith('a Word document');
    assert.deepEqual(await read(), [
      {
        type: 'table',
        ...(says && { headerRows: 2 }),
        rows: [
          ['Name', 'Size', 'Size'],
          ['Name', 'A', 'B'],
          ['pump', '2\n3', '4'],
        ],
        merged: [
          { row: 0, column: 0, rows: 2, columns: 1 },
          { row: 0, column: 1, rows: 1, columns: 2 },
        ],
      },
    ]);
  });
