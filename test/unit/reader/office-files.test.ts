import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OpenDocument } from '../../../packages/reader/src/opened-document.ts';
import { InlineMarks } from '../../../packages/reader/src/inline/inline-marks.ts';
import { CellCount } from '../../../packages/reader/src/flow/grid.ts';
import { parseXml } from '../../../packages/reader/src/markup/parse-markup.ts';
import { openPptx } from '../../../packages/reader/src/pptx/open-pptx.ts';
import { openTiff } from '../../../packages/reader/src/tiff/open-tiff.ts';
import { numberFormats } from '../../../packages/reader/src/xlsx/number-formats.ts';
import { openXlsx } from '../../../packages/reader/src/xlsx/open-xlsx.ts';
import { readSheet } from '../../../packages/reader/src/xlsx/read-sheet.ts';
import { writeTiff } from '../../support/tiff-writer.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { listed } from '../../support/elements.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-office-'))));
after(() => rm(folder, { recursive: true, force: true }));

async function opened(bytes: Buffer, open: (path: string) => Promise<OpenDocument>): Promise<OpenDocument> {
  const path = join(folder, 'document');
  await writeFile(path, bytes);
  return open(path);
}

const SHEET_ROWS: readonly [what: string, numbers: string[], rows: number[]][] = [
  ['their numbers', ['3', ' 5 '], [2, 4]],
  ['none', ['', ''], [0, 1]],
  ['one that is none', ['2', 'x', '', '9'], [1, 2, 3, 8]],
  ['numbers out of range', ['0', '-4', '1.5', '1e3', '99999999'], [0, 1, 2, 3, 4]],
];

for (const [what, numbers, rows] of SHEET_ROWS)
  test(`XLSX: rows with ${what} are read in their place`, () => {
    const workbook = {
      strings: [],
      showNumber: String,
      showText: String,
      cells: new CellCount(),
      struckStyles: new Set<number>(),
      marks: new InlineMarks(),
    };
    const xml = numbers.map((r) => `<row${r === '' ? '' : ` r="${r}"`}><c><v>1</v></c></row>`).join('');
    assert.deepEqual(
      readSheet(`<sheetData>${xml}</sheetData>`, workbook).rows.map(({ row }) => row),
      rows,
    );
  });

test('XLSX: the format of texts is not that of errors', () => {
  const workbook = {
    strings: [],
    showNumber: String,
    showText: (text: string) => `No. ${text}`,
    cells: new CellCount(),
    struckStyles: new Set<number>(),
    marks: new InlineMarks(),
  };
  const xml = '<sheetData><row><c t="e"><v>#N/A</v></c><c t="str"><v>1</v></c></row></sheetData>';
  const [row] = readSheet(xml, workbook).rows;
  assert.deepEqual([...(row?.cells.values() ?? [])], ['#N/A', 'No. 1']);
});

const PATTERNS: readonly [pattern: string, value: string, shown: string][] = [
  ['0.0%', '0.125', '12.5%'],
  ['0;0;0;0;0', '1.5', '1.5'],
  ['[&gt;', '-2', '-2'],
  ['0E+', '3', '3'],
  ['yyyy 0', '-45000', '-45000'],
];

for (const [pattern, value, shown] of PATTERNS)
  test(`XLSX: ${value} by the pattern ${pattern}`, () => {
    const styles = parseXml(
      `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${pattern}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
    );
    assert.equal(numberFormats(styles, false)(value, 0), shown);
  });

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relation = (type: string, target: string): string =>
  `<Relationships><Relationship Id="r1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
const BY_PREFIX: readonly [type: string, open: typeof openXlsx, parts: Record<string, string>][] = [
  [
    'XLSX',
    openXlsx,
    {
      'xl/workbook.xml': `<x:workbook xmlns:rel="${RELATIONS}"><x:sheets><x:sheet name="One" sheetId="1" rel:id="r1"/></x:sheets></x:workbook>`,
      'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/one.xml'),
      'xl/worksheets/one.xml': '<worksheet><row><c t="str"><v>found</v></c></row></worksheet>',
    },
  ],
  [
    'PPTX',
    openPptx,
    {
      'ppt/presentation.xml': `<p:presentation xmlns:rel="${RELATIONS}"><p:sldIdLst><p:sldId id="256" rel:id="r1"/></p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relation('slide', 'slides/one.xml'),
      'ppt/slides/one.xml':
        '<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>found</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
    },
  ],
];

for (const [type, open, parts] of BY_PREFIX)
  test(`${type}: parts are found by any prefix of relationships`, async () => {
    const bytes = writeZip(Object.entries(parts).map(([name, content]) => ({ name, content })));
    const [page] = await (await opened(bytes, open)).readPages(null, [1]);
    assert.match(listed(page?.elements ?? []).at(-1) ?? '', /: found$/);
  });

const DENSITIES: readonly [dpi: number, longer: number, shownAt: number][] = [
  [200, 1170, 200],
  [300, 780, 200],
  [72, 1170, 100],
  [600, 1170, 100],
  [1_000_000, 1170, 100],
];

for (const [dpi, longer, shownAt] of DENSITIES)
  test(`TIFF: a page of 1,170 pixels at ${dpi} dpi is shown with ${longer}`, async () => {
    const [width, height] = [827, 1170];
    const tiff = writeTiff([{ width, height, grey: new Uint8Array(width * height).fill(255), dpi }]);
    const page = await (await opened(tiff, openTiff)).renderPage(1);
    assert.deepEqual([Math.max(page.width, page.height), Math.round(page.dpi)], [longer, shownAt]);
  });
