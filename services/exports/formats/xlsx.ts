import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Column, Table, TextLayout, TextPage } from '../table.ts';
import { writeWhole } from '../write-whole.ts';
import type { Format } from './format.ts';

const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * A workbook with one sheet, zipped while the rows are read. Text is stored as text, so that no cell is a formula, and
 * within its cell, because a table of shared strings would have to be kept in memory.
 */
export const xlsx: Format = {
  maxRecords: { files: 100_000 },
  file: { contentType: CONTENT_TYPE, extension: 'xlsx' },
  queue: 'cpu',
  write: (job) => {
    const layout = sheetLayout(job.table.columns);
    return writeWhole(job, CONTENT_TYPE, layout, (pages) => workbook(job.table, layout, pages));
  },
};

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const FORMATS = 'http://schemas.openxmlformats.org';
const SHEET = `${FORMATS}/spreadsheetml/2006/main`;
const RELATIONS = `${FORMATS}/officeDocument/2006/relationships`;
const PACKAGE = `${FORMATS}/package/2006`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Tags are so repetitive that a higher level takes four times as long for a fifth fewer bytes. */
const COMPRESSION_LEVEL = 1;

async function* workbook(
  { sheetName }: Table,
  layout: TextLayout,
  pages: AsyncIterable<TextPage>,
): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(packageParts(sheetName)))
    zip.addBuffer(Buffer.from(DECLARATION + xml), path);
  const sheet = Readable.from(sheetXml(layout, pages), { objectMode: false });
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
  { head, tail }: TextLayout,
  pages: AsyncIterable<TextPage>,
): AsyncIterable<Uint8Array> {
  yield Buffer.from(head);
  for await (const { text } of pages) yield text;
  yield Buffer.from(tail);
}

function packageParts(sheetName: string): Record<string, string> {
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
  const part = (path: string, kind: string) =>
    `<Override PartName="/xl/${path}" ContentType="${TYPE}.${kind}+xml"/>`;
  const name = escaped(sheetName).replaceAll('"', '&quot;').replaceAll(HEX_ESCAPE, '_x005F_');
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook.xml', 'sheet.main')}${part('worksheets/sheet1.xml', 'worksheet')}</Types>`,
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${RELATIONS}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
  };
}

/** Text that would be read as an escape: `_x0041_` is an A, by ECMA-376. */
const HEX_ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP = /[&<>]|_x/;
const SPACE = /\s/;

/** Elements `row` with a cell for each column, by ECMA-376: positions follow from the order, so they are omitted. */
export function sheetLayout(columns: readonly Column[]): TextLayout {
  const frozen =
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>';
  const header = columns.map(({ name }) => textCell(name)).join('');
  const isNumber = columns.map(({ type }) => type === 'number');
  // Reused for each row, since concatenation creates twice as much garbage.
  const pieces: string[] = [];
  return {
    head: `${DECLARATION}<worksheet xmlns="${SHEET}"><sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews><sheetData><row>${header}</row>`,
    between: '',
    tail: '</sheetData></worksheet>',
    row: (values) => {
      pieces.length = 0;
      pieces.push('<row>');
      for (let at = 0; at < values.length; at += 1) {
        const value = values[at] ?? null;
        if (value === null) pieces.push('<c/>');
        else if (isNumber[at]) pieces.push('<c><v>', value, '</v></c>');
        else if (MARKUP.test(value)) pieces.push(textCell(value));
        else pieces.push(openTag(value), value, '</t></is></c>');
      }
      pieces.push('</row>');
      return pieces.join('');
    },
  };
}

/** The markup of a text cell up to its text. */
function openTag(text: string): string {
  return SPACE.test(text) ? '<c t="inlineStr"><is><t xml:space="preserve">' : '<c t="inlineStr"><is><t>';
}

function textCell(text: string): string {
  // Separate runs instead of `_x005F_`, which not all readers support.
  const [only = '', ...more] = escaped(text).split(/(?<=_)(?=x[0-9A-Fa-f]{4}_)/);
  if (more.length === 0) return `${openTag(text)}${only}</t></is></c>`;
  const runs = [only, ...more].map((run) => `<r><t xml:space="preserve">${run}</t></r>`);
  return `<c t="inlineStr"><is>${runs.join('')}</is></c>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
