import {
  CarriageReturn,
  Document,
  HeadingLevel,
  Packer,
  PageOrientation,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { Cell } from '../../domain/exports/cell.ts';

/** A document with one table, as the bytes of its file. The whole of it is made in memory. */
export async function writeDocx(
  title: string,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<Uint8Array> {
  const table = new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: [
      new TableRow({ tableHeader: true, children: header.map((name) => toCell(name, true)) }),
      ...rows.map((row) => new TableRow({ children: row.map((cell) => toCell(String(cell ?? ''))) })),
    ],
  });
  const document = new Document({
    title,
    sections: [
      {
        properties: { page: { size: { orientation: PageOrientation.LANDSCAPE } } },
        children: [new Paragraph({ heading: HeadingLevel.HEADING_1, text: title }), table],
      },
    ],
  });
  return Packer.toBuffer(document);
}

function toCell(text: string, bold = false): TableCell {
  // One run, because each costs as much as a cell.
  const lines = text.split('\n').flatMap((line, at) => (at > 0 ? [new CarriageReturn(), line] : [line]));
  return new TableCell({ children: [new Paragraph({ children: [new TextRun({ children: lines, bold })] })] });
}
