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

/** Lines that run over four pages or more, below the text of a page, or of a slide's speaker. */
export type ElementRole = 'page_header' | 'page_footer' | 'footnote' | 'notes';

/** An element of a type; without a role it is body text. */
type Typed<Type extends ElementType, Content> = Content & { type: Type; role?: ElementRole };
interface Text {
  content: string;
}

/** `level` 1 is the highest; on a scan, sizes are in points, and a multiple of the page's text size. */
export type Heading = Typed<'heading', Text & { level: number; fontSize?: number; relativeSize?: number }>;
export type Paragraph = Typed<'paragraph', Text>;
export type KeyValue = Typed<'key_value', { key: string; value: string }>;
/** Its items in their order; those of a list within an item are one deeper. */
export type List = Typed<'list', { items: readonly ListItem[] }>;
/** Its text is the caption, and the labels in the picture. */
export type Figure = Typed<'figure', Text>;
/** Its text has line breaks and indents; the language is absent unless the document names it. */
export type Code = Typed<'code', Text & { language?: string }>;
/**
 * Rows of texts with their line breaks, of which the first is the header; a row may end early. Merged cells have their text
 * in each, unless it is long.
 */
export type Table = Typed<'table', { rows: readonly (readonly string[])[]; merged?: readonly MergedCells[] }>;

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
}

/** What an element of a document is and says. */
export type ElementContent = Textual | Table | KeyValue | List;
export type Textual = Heading | Paragraph | Figure | Code;

/** The text of an element without its structure, for counts and for the detection of languages. */
export function plainText(element: ElementContent): string {
  switch (element.type) {
    case 'table':
      return element.rows.map((row) => row.join(' | ')).join('\n');
    case 'list':
      return element.items
        .map(({ marker, text }) => (marker === '-' ? text : `${marker} ${text}`))
        .join('\n');
    case 'key_value':
      return `${element.key}: ${element.value}`;
    default:
      return element.content;
  }
}

/** The length of an element in Markdown, without marks that escape others; a short row of a table is as wide as the widest. */
export function lengthOf(element: ElementContent): number {
  switch (element.type) {
    case 'table': {
      const { rows } = element;
      const columns = columnsOf(element);
      const cells = rows.reduce((sum, row) => row.reduce((all, cell) => all + cell.length, sum), 0);
      // `| a | b |` and a line break for each row, `| --- | --- |` for the ruler.
      return cells + rows.length * (3 * columns + 2) + 6 * columns + 1;
    }
    case 'list':
      return element.items.reduce((sum, { marker, text, depth, checked }) => {
        const box = checked === undefined ? 0 : '[x] '.length;
        return sum + 2 * depth + marker.length + 1 + box + text.length + 1;
      }, -1);
    case 'key_value':
      return element.key.length + 2 + element.value.length;
    default:
      return element.content.length;
  }
}

/** Several lines as one. Spaces join them, since a tag between them would be a word of the text. */
export const onOneLine = (text: string): string => text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ');

/** The number of columns of a table. */
export const columnsOf = ({ rows }: Pick<Table, 'rows'>): number =>
  rows.reduce((most, row) => Math.max(most, row.length), 0);
