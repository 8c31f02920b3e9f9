import { Document, Footer, Header, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from 'docx';
import fc from 'fast-check';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { DocumentType } from 'darkroom-reader/document';

/** A document whose words are known. */
export interface DocumentOfWords {
  type: DocumentType;
  bytes: () => Promise<Buffer>;
  /** All words of the document, as written. */
  words: readonly string[];
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zäéß]{2,11}$/) },
  fc.constantFrom('Invoice', 'Chapter', 'Page', 'Total:', 'EUR', 'Delivery', 'No.'),
  fc.integer({ min: 0, max: 99_999 }).map(String),
  fc.integer({ min: 1, max: 999 }).map((number) => `RE2026${number}`),
);
const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
const lines = (most: number) => fc.array(line, { minLength: 1, maxLength: most });
const pageCount = fc.integer({ min: 1, max: 7 });

/** The margin of each page: empty, a constant line, a line that counts pages, ends early, or differs on each page. */
const margin = fc
  .tuple(fc.constantFrom('none', 'same', 'counts', 'named', 'early', 'other'), lines(7))
  .map(([kind, given]) => (page: number): string => {
    const [first = ''] = given;
    if (kind === 'none' || (kind === 'early' && page > 2)) return '';
    if (kind === 'counts') return `${first} ${page}`;
    if (kind === 'named') return `Chapter ${page}`;
    return (kind === 'other' ? given[page % given.length] : first) ?? '';
  });

const wordsOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(/\s+/).filter(Boolean));

/** A line of a page; `y` is its height above the bottom. */
interface DrawnLine {
  text: string;
  y: number;
  size?: number;
  bold?: boolean;
}

const LINE_WIDTH = 495;

/** A PDF of A4 pages with these lines. */
export async function pdfOfLines(pages: readonly (readonly DrawnLine[])[]): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const regular = await pdf.embedFont(StandardFonts.Helvetica);
  const heavy = await pdf.embedFont(StandardFonts.HelveticaBold);
  for (const lines of pages) {
    const page = pdf.addPage([595, 842]);
    for (const { text, y, size = 10, bold = false } of lines) {
      const font = bold ? heavy : regular;
      // Text beyond the edge of the page cannot be read.
      const fitting = Math.min(size, LINE_WIDTH / Math.max(1, font.widthOfTextAtSize(text, 1)));
      page.drawText(text, { x: 50, y, size: fitting, font });
    }
  }
  return Buffer.from(await pdf.save());
}

/** An invoice of two pages; each begins with the number of the invoice and ends with that of the page. */
export const invoiceOfTwoPages = (number: string): Promise<Buffer> =>
  pdfOfLines(
    [1, 2].map((page) => [
      { text: `Invoice ${number}`, y: 805 },
      { text: `Garden pumps as ordered, part ${page} of the delivery.`, y: 500 },
      { text: `Page ${page} of 2`, y: 30 },
    ]),
  );

/** A delivery note with its copies. */
export const notesAndCopies = (number: string, count: number): Promise<Buffer> =>
  pdfOfLines(
    Array.from({ length: count }, () => [
      { text: `Delivery note ${number}`, y: 805 },
      { text: '1 garden pump, received in good order', y: 790 },
    ]),
  );

/** Chapters of a page each. */
export const chaptersOfAPage = (count: number, subject: string): Promise<Buffer> =>
  pdfOfLines(
    Array.from({ length: count }, (_, at) => [
      { text: `Chapter ${at + 1}`, y: 790 },
      { text: `What there is to say of the ${subject}, part ${at * 7}.`, y: 600 },
    ]),
  );

/** PDFs of one or more pages, some with identical pages, with lines of several sizes at the edges. */
export const pdfOfWords: fc.Arbitrary<DocumentOfWords> = fc
  .record({
    pages: fc.oneof(
      fc.array(lines(14), { minLength: 1, maxLength: 7 }),
      fc.tuple(pageCount, lines(14)).map(([count, body]) => Array.from({ length: count }, () => body)),
    ),
    header: margin,
    footer: margin,
    size: fc.constantFrom(9, 10, 16),
    bold: fc.boolean(),
    /** Distance of the body from the top. */
    top: fc.integer({ min: 60, max: 500 }),
  })
  .map(({ pages, header, footer, size, bold, top }) => {
    const placed = pages.map((body, at) => [
      { text: header(at + 1), y: 810, size, bold },
      ...body.map((text, line) => ({ text, y: 842 - top - line * 14, size: 10, bold: false })),
      { text: footer(at + 1), y: 30, size, bold },
    ]);
    return {
      type: 'pdf',
      words: wordsOf(placed.flat().map(({ text }) => text)),
      bytes: () => pdfOfLines(placed),
    };
  });

/** DOCX files of sections with headers and footers, headings, paragraphs and tables. */
export const docxOfWords: fc.Arbitrary<DocumentOfWords> = fc
  .array(fc.record({ header: line, footer: line, heading: line, body: lines(5), cells: lines(4) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((sections) => ({
    type: 'docx',
    words: wordsOf(
      sections.flatMap(({ header, footer, heading, body, cells }) => [
        header,
        footer,
        heading,
        ...body,
        ...cells,
      ]),
    ),
    bytes: () =>
      Packer.toBuffer(
        new Document({
          sections: sections.map(({ header, footer, heading, body, cells }) => ({
            headers: { default: new Header({ children: [new Paragraph(header)] }) },
            footers: { default: new Footer({ children: [new Paragraph(footer)] }) },
            children: [
              new Paragraph({ text: heading, heading: HeadingLevel.HEADING_1 }),
              ...body.map((text) => new Paragraph(text)),
              new Table({
                rows: cells.map(
                  (text) => new TableRow({ children: [new TableCell({ children: [new Paragraph(text)] })] }),
                ),
              }),
            ],
          })),
        }),
      ),
  }));

const plain = (type: DocumentType, text: string, words: readonly string[]): DocumentOfWords => ({
  type,
  words,
  bytes: async () => Buffer.from(text),
});

/** Plain texts of paragraphs, pairs and pages. */
export const txtOfWords: fc.Arbitrary<DocumentOfWords> = fc
  .array(fc.tuple(lines(6), fc.constantFrom('\n\n', '\n\f\n', '\n')), { minLength: 1, maxLength: 8 })
  .map((blocks) =>
    plain(
      'txt',
      blocks.map(([block, end]) => `${block.join('\n')}${end}`).join(''),
      wordsOf(blocks.flatMap(([block]) => block)),
    ),
  );

/** Markdown with front matter, headings, lists, tables, quotations, code and HTML. */
export const mdOfWords: fc.Arbitrary<DocumentOfWords> = fc
  .record({
    tags: fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { maxLength: 4 }),
    blocks: fc.array(
      fc.tuple(
        fc.constantFrom('# ', '- ', '> ', '    ', '', '<div>', '| '),
        fc.stringMatching(/^[a-z]{2,9}( [a-z]{2,9}){0,6}$/),
      ),
      { minLength: 1, maxLength: 10 },
    ),
  })
  .map(({ tags, blocks }) => {
    const front = tags.length > 0 ? `---\ntags:\n${tags.map((tag) => `  - ${tag}`).join('\n')}\n---\n` : '';
    const body = blocks.map(([mark, text]) => {
      if (mark === '<div>') return `<div class="note">${text}</div>`;
      return mark === '| ' ? `| ${text} |\n| --- |\n| ${text} |` : `${mark}${text}`;
    });
    return plain('md', `${front}\n${body.join('\n\n')}\n`, [
      ...tags,
      ...wordsOf(blocks.map(([, text]) => text)),
    ]);
  });
