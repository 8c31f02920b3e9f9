import type { RowValues } from '../../../db/stream-rows.ts';
import { AppError } from '../../../domain/app-error.ts';
import { VALUES, valuesOf, type Table, type TextPage } from '../table.ts';
import { writeWhole } from '../write-whole.ts';
import type { Format } from './format.ts';

const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** The text limit, since the file is made in memory, at some 4 KiB per line of a cell. */
const MAX_LINES = 50_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * A document with one table. A Word table is unusable beyond some pages, and the file is made in memory, at some 10 KiB
 * per cell.
 */
export const docx: Format = {
  maxRecords: { files: 500 },
  file: { contentType: CONTENT_TYPE, extension: 'docx' },
  queue: 'cpu',
  write: (job) => writeWhole(job, CONTENT_TYPE, VALUES, (pages) => docxFile(job.table, pages)),
};

async function* docxFile(
  { sheetName, columns }: Table,
  pages: AsyncIterable<TextPage>,
): AsyncIterable<Uint8Array> {
  const all: RowValues[] = [];
  let [lines, characters] = [0, 0];
  for await (const page of pages) {
    const rows = valuesOf(page);
    for (const [at, { type }] of columns.entries()) {
      if (type === 'number') continue;
      for (const row of rows) {
        const text = row[at];
        if (typeof text !== 'string') continue;
        lines += text.split('\n').length;
        characters += text.length;
      }
    }
    if (lines > MAX_LINES || characters > MAX_CHARACTERS)
      throw new AppError('EXPORT_TOO_LARGE', 'more text than a table of docx holds; use csv or xlsx');
    all.push(...rows);
  }
  const header = columns.map(({ name }) => name);
  yield await documentOf(sheetName, header, all);
}

async function documentOf(title: string, header: readonly string[], rows: readonly RowValues[]) {
  // Loaded on demand, because the API and most workers never write one.
  const word = await import('docx');
  const toCell = (text: string, bold = false) => {
    // One run, because each costs as much as a cell.
    const children = text
      .split('\n')
      .flatMap((line, at) => (at > 0 ? [new word.CarriageReturn(), line] : [line]));
    return new word.TableCell({
      children: [new word.Paragraph({ children: [new word.TextRun({ children, bold })] })],
    });
  };
  const table = new word.Table({
    width: { size: 100, type: word.WidthType.PERCENTAGE },
    rows: [
      new word.TableRow({ tableHeader: true, children: header.map((name) => toCell(name, true)) }),
      ...rows.map((row) => new word.TableRow({ children: row.map((value) => toCell(value ?? '')) })),
    ],
  });
  const document = new word.Document({
    title,
    sections: [
      {
        properties: { page: { size: { orientation: word.PageOrientation.LANDSCAPE } } },
        children: [new word.Paragraph({ heading: word.HeadingLevel.HEADING_1, text: title }), table],
      },
    ],
  });
  return word.Packer.toBuffer(document);
}
