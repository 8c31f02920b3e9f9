import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { plainText } from '../../domain/exports/cell.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const FORMATS = 'http://schemas.openxmlformats.org';
const SHEET = `${FORMATS}/spreadsheetml/2006/main`;
const RELATIONS = `${FORMATS}/officeDocument/2006/relationships`;
const PACKAGE = `${FORMATS}/package/2006`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Tags repeat so much that a higher one costs four times the time for a fifth of the bytes. */
const COMPRESSION_LEVEL = 1;

/**
 * A workbook with one sheet, as the bytes of its file, while the rows arrive: as XML, because they are made where they
 * are read. Text is stored as text, so that no cell is a formula; each is in its cell, because a table of shared ones would
 * have to be kept in memory.
 *
 * @param rows elements `row` with a cell for each column, by ECMA-376
 */
export async function* writeXlsx(
  sheetName: string,
  header: readonly string[],
  rows: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(packageParts(sheetName)))
    zip.addBuffer(Buffer.from(DECLARATION + xml), path);
  const sheet = Readable.from(sheetXml(header, rows), { objectMode: false });
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel: COMPRESSION_LEVEL });
  zip.end();
  const file = zip.outputStream as Readable;
  zip.on('error', (error) => file.destroy(error as Error));
  try {
    for await (const bytes of file) yield bytes as Uint8Array;
  } finally {
    sheet.destroy();
  }
}

async function* sheetXml(
  header: readonly string[],
  rows: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const frozen =
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>';
  const cells = header.map((name) => `<c t="inlineStr"><is>${runsOf(name)}</is></c>`);
  yield Buffer.from(
    `${DECLARATION}<worksheet xmlns="${SHEET}"><sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews><sheetData><row>${cells.join('')}</row>`,
  );
  yield* rows;
  yield Buffer.from('</sheetData></worksheet>');
}

function packageParts(sheetName: string): Record<string, string> {
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
  const part = (path: string, kind: string) =>
    `<Override PartName="/xl/${path}" ContentType="${TYPE}.${kind}+xml"/>`;
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook.xml', 'sheet.main')}${part('worksheets/sheet1.xml', 'worksheet')}</Types>`,
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escaped(sheetName).replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
  };
}

/** A text as runs, within which nothing looks like `_x0041_`, which would stand for an A. */
function runsOf(text: string): string {
  const runs = escaped(text).split(/(?<=_)(?=x[0-9A-Fa-f]{4}_)/);
  return runs.map((run) => `<r><t xml:space="preserve">${run}</t></r>`).join('');
}

function escaped(text: string): string {
  return plainText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
