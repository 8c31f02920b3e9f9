import type { TaggedBlock } from '../layout/page-parts.ts';
import type { PdfPage } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';

/** The blocks of a tagged page, in the order of its tags. */
export interface Structure {
  blocks: readonly TaggedBlock[];
  /** The number of the block to which marked content belongs. */
  blockOf(markedContent: number): number | undefined;
}

const MOST_ELEMENTS = 20_000;
const DEEPEST = 60;
/** Elements within a block, if they are in one; labels and bodies are those of list items. */
const INLINE =
  /^(?:Span|Quote|Reference|BibEntry|Link|Annot|Em|Strong|Sub|Code|Formula|Lbl|LBody|Ruby|RB|RT|RP|Warichu|WT|WP)$/;
const NOTE = /^(?:Note|FENote)$/;
const HEADING = /^H([1-6])$/;
const MOST_SPANNED = 100;

/** A table while its rows are read. */
interface OpenTable {
  table: number;
  row: number;
  /** Of the row. */
  column: number;
  /** Places that cells of rows above reach into, as `row column`. */
  taken: Set<string>;
}

/** What an element inherits. */
interface Around {
  block?: number | undefined;
  table?: OpenTable | undefined;
  depth: number;
}

/** Reads which text of a page its tags call headings and cells; a page without tags has no blocks. */
export function readStructure({ pdfium, handle }: PdfPage): Structure {
  const blocks: TaggedBlock[] = [];
  const blockOfContent = new Map<number, number>();
  const tree = pdfium.FPDF_StructTree_GetForPage(handle);
  if (tree === 0) return { blocks, blockOf: () => undefined };
  let left = MOST_ELEMENTS;
  let tables = 0;
  const openTable = (): OpenTable => ({ table: tables++, row: -1, column: 0, taken: new Set() });
  const addBlock = (block: TaggedBlock): number => blocks.push(block) - 1;
  const visit = (element: number, around: Around): void => {
    left -= 1;
    if (element === 0 || left < 0 || around.depth > DEEPEST) return;
    const type = typeOf(pdfium, element);
    const own: Around = { ...around, depth: around.depth + 1 };
    const heading = HEADING.exec(type)?.[1];
    const within = blocks[around.block ?? -1];
    // All within a cell or a figure is its text.
    if (!within?.cell && !within?.figure) {
      if (heading !== undefined) own.block = addBlock({ level: Number(heading) });
      else if (type === 'Table') own.table = openTable();
      else if (type === 'TR') {
        // Rows may be in no table: those of one parent are.
        own.table = around.table ??= openTable();
        Object.assign(own.table, { row: own.table.row + 1, column: 0 });
      } else if ((type === 'TH' || type === 'TD') && own.table && own.table.row >= 0)
        own.block = addBlock({ cell: cellAt(pdfium, element, own.table) });
      // Notes stand elsewhere than in the order of the text.
      else if (NOTE.test(type)) return;
      else if (type === 'Figure') own.block = addBlock({ figure: true });
      else if (!INLINE.test(type)) own.block = undefined;
    }
    const count = Math.min(pdfium.FPDF_StructElement_CountChildren(element), MOST_ELEMENTS);
    for (let index = 0; index < count; index++) {
      const content = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (content < 0) {
        visit(pdfium.FPDF_StructElement_GetChildAtIndex(element, index), own);
        continue;
      }
      own.block ??= addBlock({});
      if (!blockOfContent.has(content)) blockOfContent.set(content, own.block);
    }
  };
  const count = Math.min(pdfium.FPDF_StructTree_CountChildren(tree), MOST_ELEMENTS);
  for (let index = 0; index < count; index++)
    visit(pdfium.FPDF_StructTree_GetChildAtIndex(tree, index), { depth: 0 });
  pdfium.FPDF_StructTree_Close(tree);
  return { blocks, blockOf: (content) => blockOfContent.get(content) };
}

const typeOf = (pdfium: Pdfium, element: number): string =>
  pdfium
    .written((buffer, length) => pdfium.FPDF_StructElement_GetType(element, buffer, length))
    .toString('utf16le')
    .replace(/\0$/, '');

function cellAt(pdfium: Pdfium, element: number, open: OpenTable): TaggedBlock['cell'] {
  const [rows, columns] = [spanOf(pdfium, element, 'RowSpan'), spanOf(pdfium, element, 'ColSpan')];
  while (open.taken.has(`${open.row} ${open.column}`)) open.column += 1;
  const { table, row, column } = open;
  for (let below = 1; below < rows; below++)
    for (let beside = 0; beside < columns; beside++) open.taken.add(`${row + below} ${column + beside}`);
  open.column += columns;
  return { table, row, column, rows, columns };
}

function spanOf(pdfium: Pdfium, element: number, name: 'RowSpan' | 'ColSpan'): number {
  const count = Math.min(pdfium.FPDF_StructElement_GetAttributeCount(element), 10);
  for (let index = 0; index < count; index++) {
    const key = pdfium.at(32);
    pdfium.bytes(key, name.length + 1).set(Buffer.from(`${name}\0`));
    const attribute = pdfium.FPDF_StructElement_GetAttributeAtIndex(element, index);
    const value = attribute === 0 ? 0 : pdfium.FPDF_StructElement_Attr_GetValue(attribute, key);
    if (value === 0 || pdfium.FPDF_StructElement_Attr_GetNumberValue(value, pdfium.at(0)) !== 1) continue;
    return Math.min(Math.max(1, Math.round(pdfium.float(0))), MOST_SPANNED);
  }
  return 1;
}
