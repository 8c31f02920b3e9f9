/** Kinds of page elements: those of the contract, and `code`. */
export const ELEMENT_TYPES = [
  'heading',
  'paragraph',
  'table',
  'key_value',
  'list',
  'figure',
  'code',
] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

/** Lines that run over four pages or more, below the text of a page, of a slide's speaker, or beside a table or a figure. */
export type ElementRole = 'page_header' | 'page_footer' | 'footnote' | 'notes' | 'caption';

/** An element of a type; without a role it is body text. */
type Typed<Type extends ElementType, Content> = Content & { type: Type; role?: ElementRole };
interface Text {
  content: string;
  marks?: readonly Mark[];
}

/** A part of a text that is struck out, or a link to an absolute address: from `start` to before `end`, in UTF-16 units. */
export type Mark = { start: number; end: number } & ({ kind: 'struck' } | { kind: 'link'; target: string });

/** `level` 1 is the highest; on a scan, sizes are in points, and a multiple of the page's text size. */
export type Heading = Typed<'heading', Text & { level: number; fontSize?: number; relativeSize?: number }>;
export type Paragraph = Typed<'paragraph', Text>;
export type KeyValue = Typed<'key_value', { key: string; value: string; marks?: readonly Mark[] }>;
/** Its items in their order; those of a list within an item are one deeper. */
export type List = Typed<'list', { items: readonly ListItem[] }>;
/** Its text is the caption, and the labels in the picture. */
export type Figure = Typed<'figure', Text>;
/** Its text has line breaks and indents; the language is absent unless the document names it. */
export type Code = Typed<'code', Text & { language?: string }>;
/**
 * Rows of texts with their line breaks, of which the first is the header, or several; a row may end early. Merged cells have their text
 * in each, unless it is long.
 */
export type Table = Typed<
  'table',
  {
    rows: readonly (readonly string[])[];
    /** Rows that are its header, if the document says so and they are several. */
    headerRows?: number;
    /** Whether its header is that of the page before, where the table begins. */
    headerRepeated?: true;
    merged?: readonly MergedCells[];
    /** Of the cells with any, by row. */
    marks?: readonly { row: number; column: number; marks: readonly Mark[] }[];
  }
>;

/** Cells that are one, by their first row and column, from 0. */
export interface MergedCells {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

export interface ListItem {
  /** As shown, such as `3.`; a dash for a bullet. */
  marker: string;
  text: string;
  /** From 0. */
  depth: number;
  /** The state of its box, if it has one. */
  checked?: boolean;
  marks?: readonly Mark[];
}

/** What an element of a document is and says. */
export type ElementContent = Textual | Table | KeyValue | List;
export type Textual = Heading | Paragraph | Figure | Code;

/** The text of an element without its structure and without what is struck out. */
export function plainText(element: ElementContent): string {
  switch (element.type) {
    case 'table':
      return validRows(element)
        .map((row) => row.join(' | '))
        .join('\n');
    case 'list':
      return element.items
        .map(({ marker, text, marks }) => `${marker === '-' ? '' : `${marker} `}${validText(text, marks)}`)
        .join('\n');
    case 'key_value':
      return `${element.key}: ${validText(element.value, element.marks)}`;
    default:
      return validText(element.content, element.marks);
  }
}

/** The cells of a table without what is struck out. */
export function validRows({ rows, marks }: Pick<Table, 'rows' | 'marks'>): Table['rows'] {
  if (!marks) return rows;
  const valid = rows.map((row) => [...row]);
  for (const { row, column, marks: own } of marks) {
    const cells = valid[row];
    if (cells) cells[column] = validText(cells[column] ?? '', own);
  }
  return valid;
}

/** A table with a single header row: the texts of several, one below the other, are joined. */
export function withOneHeader(table: Pick<Table, 'rows' | 'headerRows'>): Table['rows'] {
  const { rows, headerRows = 1 } = table;
  if (headerRows === 1) return rows;
  const above = rows.slice(0, headerRows);
  const header = Array.from({ length: columnsOf({ rows: above }) }, (_, column) =>
    [...new Set(above.map((row) => row[column] ?? ''))].filter((text) => text !== '').join(' '),
  );
  return [header, ...rows.slice(headerRows)];
}

/** A text without what is struck out. */
export function validText(text: string, marks: readonly Mark[] = []): string {
  const struck = marks.filter(({ kind }) => kind === 'struck');
  if (struck.length === 0) return text;
  let end = 0;
  let valid = '';
  for (const mark of struck) {
    valid += text.slice(end, Math.max(end, mark.start));
    end = Math.max(end, mark.end);
  }
  return (valid + text.slice(end)).replaceAll(/ {2,}/g, ' ').trim();
}

/** A part of an element's text, with its marks. */
export function part(element: Textual, from: number, to: number): Textual {
  const { content, marks } = element;
  return {
    ...element,
    content: content.slice(from, to),
    ...(marks && { marks: marksWithin(marks, from, to) }),
  };
}

/** The marks of a part of a text, by positions in the part. */
export function marksWithin(marks: readonly Mark[], from: number, to: number): Mark[] {
  return marks.flatMap((mark) => {
    const [start, end] = [Math.max(mark.start, from) - from, Math.min(mark.end, to) - from];
    return start < end ? [{ ...mark, start, end }] : [];
  });
}

/** The characters of Markdown for marks. */
const lengthOfMarks = (marks: readonly Mark[] = []): number =>
  marks.reduce((sum, mark) => sum + 4 + (mark.kind === 'link' ? mark.target.length : 0), 0);

/** The length of an element in Markdown, without marks that escape others; a short row of a table is as wide as the widest. */
export function lengthOf(element: ElementContent): number {
  switch (element.type) {
    case 'table': {
      const { rows } = element;
      const columns = columnsOf(element);
      const cells = rows.reduce((sum, row) => row.reduce((all, cell) => all + cell.length, sum), 0);
      const marked = element.marks?.reduce((sum, { marks }) => sum + lengthOfMarks(marks), 0) ?? 0;
      // `| a | b |` and a line break for each row, `| --- | --- |` for the ruler.
      return cells + marked + rows.length * (3 * columns + 2) + 6 * columns + 1;
    }
    case 'list':
      return element.items.reduce((sum, { marker, text, depth, checked, marks }) => {
        const box = checked === undefined ? 0 : '[x] '.length;
        return sum + 2 * depth + marker.length + 1 + box + text.length + lengthOfMarks(marks) + 1;
      }, -1);
    case 'key_value':
      return element.key.length + 2 + element.value.length + lengthOfMarks(element.marks);
    default:
      return element.content.length + lengthOfMarks(element.marks);
  }
}

/** Several lines as one. Spaces join them, since a tag between them would be a word of the text. */
export const onOneLine = (text: string): string => text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ');

/** The number of columns of a table. */
export const columnsOf = ({ rows }: Pick<Table, 'rows'>): number =>
  rows.reduce((most, row) => Math.max(most, row.length), 0);
