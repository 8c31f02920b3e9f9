import { cleanText, markdownTable } from '../layout/plain-text.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { textOf, walk, type DocxNode, type DocxRoot } from './docx-nodes.ts';

const HEADING = /^heading (\d)$/i;
const TITLE = /^title$/i;
/** A bold paragraph is a heading in documents whose author used no styles. */
const LONGEST_BOLD_HEADING = 100;

/** The elements of a DOCX, divided by its explicit page breaks. */
export function docxPages(root: DocxRoot): FlowElement[][] {
  const blocks = root.children ?? [];
  const styled = blocks.some(({ styleName }) => HEADING.test(styleName ?? ''));
  const pages: FlowElement[][] = [];
  let notes: DocxNode[] = [];
  let noteCount = 0;
  let page: FlowElement[] = [];
  let items: { depth: number; ordered: boolean; text: string }[] = [];

  const marks = new Map<DocxNode, string>();
  const markOf = (reference: DocxNode): string => {
    let mark = marks.get(reference);
    if (mark === undefined) {
      noteCount += 1;
      mark = `[${noteCount}]`;
      marks.set(reference, mark);
      notes.push(reference);
    }
    return mark;
  };
  const add = (type: FlowElement['type'], content: string, metadata: FlowElement['metadata'] = {}): void => {
    const text = cleanText(content).trim();
    if (text !== '' || type === 'figure') page.push({ type, content: text, metadata });
  };
  const endList = (): void => {
    if (items.length > 0) add('list', listMarkdown(items), { items: items.length });
    items = [];
  };
  const endPage = (): void => {
    endList();
    for (const reference of notes) {
      const body = root.notes.resolve(reference)?.body ?? [];
      const text = body
        .map((part) => textOf(part, () => ''))
        .join('\n')
        .trim();
      add('paragraph', `${marks.get(reference)} ${text}`, { role: 'footnote' });
    }
    notes = [];
    pages.push(joinPairs(page));
    page = [];
  };

  for (const block of blocks) {
    if (block.type === 'table') {
      endList();
      const rows = tableRows(block, markOf);
      const columns = Math.max(0, ...rows.map((row) => row.length));
      if (rows.some((row) => row.some((cell) => cell !== '')))
        add('table', markdownTable(rows), { rows: rows.length, columns });
      continue;
    }
    const parts = [...walk(block)];
    // A break before the text of a paragraph starts its page, one after it the next page.
    const [before, after] = pageBreaks(parts);
    if (before && page.length + items.length > 0) endPage();
    const text = textOf(block, markOf).trim();
    if (block.numbering && text !== '')
      items.push({ depth: Number(block.numbering.level) || 0, ordered: block.numbering.isOrdered, text });
    else {
      if (text !== '') endList();
      const level = headingLevel(block, styled, text, parts);
      if (level !== undefined) add('heading', text, { level });
      else add('paragraph', text);
    }
    for (const { type, altText } of parts) if (type === 'image') add('figure', altText ?? '');
    if (after) endPage();
  }
  endPage();
  return pages;
}

function headingLevel(
  { styleName }: DocxNode,
  styled: boolean,
  text: string,
  parts: readonly DocxNode[],
): number | undefined {
  if (text === '') return undefined;
  const level = HEADING.exec(styleName ?? '')?.[1];
  if (level !== undefined) return Number(level);
  if (TITLE.test(styleName ?? '')) return 1;
  if (styled || text.length > LONGEST_BOLD_HEADING || /[.:;,!?]$/.test(text)) return undefined;
  const runs = parts.filter(({ type, children }) => type === 'run' && children?.length);
  return runs.length > 0 && runs.every(({ isBold }) => isBold) ? 1 : undefined;
}

function pageBreaks(parts: readonly DocxNode[]): [before: boolean, after: boolean] {
  const breaks = parts.flatMap(({ type, breakType }, at) =>
    type === 'break' && breakType === 'page' ? [at] : [],
  );
  const text = parts.findIndex(({ type, value }) => type === 'text' && value?.trim());
  return [breaks.some((at) => text >= 0 && at < text), breaks.some((at) => text < 0 || at > text)];
}

/** Cells that span several columns or rows are placed in the first; the others are empty. */
function tableRows(table: DocxNode, markOf: (reference: DocxNode) => string): string[][] {
  const rows: string[][] = [];
  const below: number[] = [];
  for (const row of table.children ?? []) {
    const cells: string[] = [];
    const free = (): void => {
      while ((below[cells.length] ?? 0) > 0) {
        below[cells.length] = (below[cells.length] ?? 0) - 1;
        cells.push('');
      }
    };
    for (const cell of row.children ?? []) {
      free();
      for (let column = 0; column < Math.min(cell.colSpan ?? 1, 500); column++) {
        below[cells.length] = (cell.rowSpan ?? 1) - 1;
        cells.push(column === 0 ? cleanText(textOf(cell, markOf)).trim() : '');
      }
    }
    free();
    rows.push(cells);
  }
  return rows;
}

function listMarkdown(items: readonly { depth: number; ordered: boolean; text: string }[]): string {
  const counts: number[] = [];
  return items
    .map(({ depth, ordered, text }) => {
      counts.length = Math.min(counts.length, depth + 1);
      counts[depth] = (counts[depth] ?? 0) + 1;
      return `${'  '.repeat(depth)}${ordered ? `${counts[depth]}.` : '-'} ${text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`;
    })
    .join('\n');
}
