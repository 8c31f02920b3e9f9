import type { MergedCells } from '../document/element.ts';
import { child, isOn, valueOf, type XmlNode } from '../xml.ts';
import { chosen, isPrompting } from './inline.ts';

/** Rows and columns that one cell may cover. */
const WIDEST = 500;
/** A longer text is not repeated where its cell covers others. */
const LONGEST_REPEATED = 500;
const MOST_REPEATED = 2_000_000;

/** Paragraphs (`w:p`), tables (`w:tbl`), imported parts (`w:altChunk`) and ends of sections (`w:sectPr`) in order, through whatever wraps them. */
export function* blocksOf(nodes: readonly XmlNode[]): Generator<XmlNode> {
  for (const node of nodes) {
    switch (node.name) {
      case 'w:p':
      case 'w:tbl':
      case 'w:sectPr':
      case 'w:altChunk':
        yield node;
        break;
      case 'mc:AlternateContent':
        yield* blocksOf(chosen(node));
        break;
      case 'w:sdt':
        if (isPrompting(node)) break;
        yield* blocksOf(node.children);
        break;
      case 'w:sdtContent':
      case 'w:customXml':
      case 'w:smartTag':
      case 'w:ins':
      case 'w:moveTo':
        yield* blocksOf(node.children);
    }
  }
}

/** The only cell of a table that merely frames what it contains. */
export function onlyCell(table: XmlNode): XmlNode | undefined {
  const rows = [...childrenOf(table.children, 'w:tr')];
  const cells = rows.length === 1 && rows[0] ? [...childrenOf(rows[0].children, 'w:tc')] : [];
  return cells.length === 1 ? cells[0] : undefined;
}

/**
 * The text of the cells of a table. A cell that covers several columns or rows has its text in each of them, unless it is
 * long.
 *
 * @param textOf the text of a cell; called once for each
 */
export function tableRows(
  table: XmlNode,
  textOf: (cell: XmlNode) => string,
): { rows: string[][]; headerRows: number; merged: MergedCells[] } {
  let headerRows = 0;
  const rows: string[][] = [];
  const areas: MergedCells[] = [];
  /** The lowest cell of each column. */
  const lowest = new Map<number, MergedCells>();
  let repeated = 0;
  const again = (text: string): string => {
    repeated += text.length + 1;
    return text.length > LONGEST_REPEATED || repeated > MOST_REPEATED ? '' : text;
  };
  for (const row of childrenOf(table.children, 'w:tr')) {
    const properties = child(row, 'w:trPr');
    if (child(properties, 'w:del') || isOn(properties, 'w:hidden')) continue;
    const above = rows.at(-1);
    const before = repeated > MOST_REPEATED ? 0 : width(valueOf(properties, 'w:gridBefore'), 0);
    const cells = Array.from({ length: before }, () => again(''));
    for (const cell of childrenOf(row.children, 'w:tc')) {
      const own = child(cell, 'w:tcPr');
      const continues = isMergedOn(own, 'w:vMerge');
      const text = textOf(cell);
      const left = areas.at(-1);
      // As Word 97 merges cells; later versions widen one.
      if (text === '' && isMergedOn(own, 'w:hMerge') && left?.row === rows.length) {
        left.columns += 1;
        cells.push(again(cells.at(-1) ?? ''));
        continue;
      }
      const span = repeated > MOST_REPEATED ? 1 : width(valueOf(own, 'w:gridSpan'), 1);
      const at = cells.length;
      const over = lowest.get(at);
      if (continues && text === '' && over?.columns === span) over.rows = rows.length - over.row + 1;
      else {
        const area = { row: rows.length, column: at, rows: 1, columns: span };
        lowest.set(at, area);
        areas.push(area);
      }
      for (let column = 0; column < span; column++) {
        if (continues && text === '') cells.push(again(above?.[at + column] ?? ''));
        else cells.push(column === 0 ? text : again(text));
      }
    }
    if (cells.length === 0) continue;
    if (headerRows === rows.length && isOn(properties, 'w:tblHeader')) headerRows += 1;
    rows.push(cells);
  }
  return { rows, headerRows, merged: areas.filter((area) => area.rows * area.columns > 1) };
}

/** Whether a cell goes on from the one above it, or left of it. */
const isMergedOn = (properties: XmlNode | undefined, name: 'w:vMerge' | 'w:hMerge'): boolean =>
  child(properties, name) !== undefined && valueOf(properties, name) !== 'restart';

const width = (value: string | undefined, least: number): number =>
  Math.min(WIDEST, Math.max(least, Number(value ?? least) || least));

/** Rows of a table, or cells of a row, through controls around them. */
function* childrenOf(nodes: readonly XmlNode[], name: 'w:tr' | 'w:tc'): Generator<XmlNode> {
  for (const node of nodes) {
    if (node.name === name) yield node;
    else if (name === 'w:tc' && node.name === 'w:sdt' && isPrompting(node))
      for (const cell of childrenOf(node.children, name))
        yield { ...cell, children: cell.children.filter((each) => each.name === 'w:tcPr') };
    else if (/^w:(?:sdt|sdtContent|customXml|ins|moveTo)$/.test(node.name))
      yield* childrenOf(node.children, name);
  }
}

/** Whether the paragraph's mark was deleted with tracked changes, so that its text continues in the next one. */
export const isMarkDeleted = (properties: XmlNode | undefined): boolean =>
  isOn(child(properties, 'w:rPr'), 'w:del') ?? false;
