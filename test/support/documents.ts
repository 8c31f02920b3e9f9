import { Document, HeadingLevel, Packer, Paragraph } from 'docx';

/** A small Markdown document. */
export const manual = Buffer.from(`# Pump manual

This manual describes the garden pump and how it is installed, used and kept in order by its owner.

## Installation

Place the pump on level ground near the well. Connect the suction hose, fill the housing with water and close the lid.

## Warranty

The warranty lasts twenty-four months from the date of delivery. It does not cover damage by frost.

## Technical data

| Property | Value |
| --- | --- |
| Power | 800 W |
| Weight | 9 kg |
`);

export const minutes = Buffer.from(
  'Minutes of the meeting in March.\n\nThe board decided to repaint the bridge in green before the summer.\n',
);

/** A PDF with one line of text on each page. */
export function minimalPdf(pages: readonly string[]): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  objects.push('<< /Type /Catalog /Pages 2 0 R >>');
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((text, at) => {
    const stream = `BT /F1 14 Tf 72 720 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  });
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${xref}`;
  body += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.lastIndexOf('xref\n0')}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}

/** A Word document with a heading and a paragraph. */
export function wordDocument(heading: string, text: string): Promise<Buffer> {
  const children = [new Paragraph({ text: heading, heading: HeadingLevel.HEADING_1 }), new Paragraph(text)];
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}

/** A PDF that takes seconds to read; its pages begin differently, see `beginningOf`. */
export const book = (pages: number): Buffer =>
  minimalPdf(Array.from({ length: pages }, (_, at) => lineOf(at + 1)));

export const lineOf = (page: number): string =>
  `${beginningOf(page)} wrote that the wind was ${page * 7} and no ship had passed`;

/** Text that occurs on one page of a book only. */
export const beginningOf = (page: number): string => `On night ${page} the keeper of the lamp`;
