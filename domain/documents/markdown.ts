import {
  columnsOf,
  type ElementContent,
  type ListItem,
  type Mark,
  onOneLine,
  type Table,
} from 'darkroom-reader/document';

/** An element as GitHub-flavoured Markdown. Nothing reads it back: whoever needs the structure has the element. */
export function markdownOf(element: ElementContent): string {
  switch (element.type) {
    case 'list':
      return element.items.map(itemLine).join('\n');
    case 'table': {
      const { header, rows } = tableLines(element);
      return [...header, ...rows].join('\n');
    }
    case 'key_value':
      return `${element.key}: ${markedText(element.value, element.marks)}`;
    default:
      return markedText(element.content, element.marks);
  }
}

/** A text with its marks: `~~struck out~~`, `[link](target)`. */
export function markedText(text: string, marks: readonly Mark[] = []): string {
  const signs = marks.flatMap((mark) => {
    const [begin, end] = mark.kind === 'struck' ? ['~~', '~~'] : ['[', `](${mark.target})`];
    const length = mark.end - mark.start;
    // At one place, the inner mark ends first, and the outer one begins first.
    return [
      { at: mark.start, order: -length, sign: begin },
      { at: mark.end, order: length - text.length - 1, sign: end },
    ];
  });
  let marked = '';
  let from = 0;
  for (const { at, sign } of signs.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    marked += text.slice(from, at) + sign;
    from = at;
  }
  return marked + text.slice(from);
}

/** An element without the targets of its links, which say little about its subject. */
export function withoutLinks<Element extends ElementContent>(element: Element): Element {
  const struck = (marks: readonly Mark[] = []): Mark[] => marks.filter(({ kind }) => kind === 'struck');
  if (element.type === 'list')
    return { ...element, items: element.items.map((item) => ({ ...item, marks: struck(item.marks) })) };
  if (!element.marks) return element;
  if (element.type !== 'table') return { ...element, marks: struck(element.marks) };
  return { ...element, marks: element.marks.map((cell) => ({ ...cell, marks: struck(cell.marks) })) };
}

/** A table as lines: its header, with the ruler that the format requires below the first row, and its other rows. */
export function tableLines(table: Pick<Table, 'rows' | 'marks' | 'headerRows'>): {
  header: string[];
  rows: string[];
} {
  const columns = columnsOf(table);
  const marks = new Map(table.marks?.map((cell) => [cell.row * columns + cell.column, cell.marks]));
  const lines = table.rows.map((row, at) => {
    const missing = ' | '.repeat(Math.max(0, columns - Math.max(1, row.length)));
    const cells = row.map((cell, column) => escapeCell(markedText(cell, marks.get(at * columns + column))));
    return `| ${cells.join(' | ')}${missing} |`;
  });
  const { headerRows = 1 } = table;
  const [first = '', ...others] = lines.slice(0, headerRows);
  return { header: [first, `|${' --- |'.repeat(columns)}`, ...others], rows: lines.slice(headerRows) };
}

/** An item of a list as a line. */
export function itemLine({ marker, text, depth, checked, marks }: ListItem): string {
  const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
  return `${'  '.repeat(depth)}${marker} ${box}${onOneLine(markedText(text, marks))}`;
}

function escapeCell(text: string): string {
  const trimmed = text.trim();
  if (!/[\\|\n]/.test(trimmed)) return trimmed;
  return onOneLine(trimmed.replaceAll('\\', '\\\\').replaceAll('|', '\\|'));
}
