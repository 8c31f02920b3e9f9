import {
  columnsOf,
  type ElementContent,
  type ListItem,
  onOneLine,
  plainText,
  type Table,
} from 'darkroom-reader/document';

/** An element as GitHub-flavoured Markdown. Nothing reads it back: whoever needs the structure has the element. */
export function markdownOf(element: ElementContent): string {
  if (element.type === 'list') return element.items.map(itemLine).join('\n');
  if (element.type !== 'table') return plainText(element);
  const { header, rows } = tableLines(element);
  return [...header, ...rows].join('\n');
}

/** A table as lines: its header with the ruler below, which the format requires, and its other rows. */
export function tableLines(table: Pick<Table, 'rows'>): { header: string[]; rows: string[] } {
  const columns = columnsOf(table);
  const lines = table.rows.map((row) => {
    const missing = ' | '.repeat(Math.max(0, columns - Math.max(1, row.length)));
    return `| ${row.map(escapeCell).join(' | ')}${missing} |`;
  });
  const [first = '', ...rows] = lines;
  return { header: [first, `|${' --- |'.repeat(columns)}`], rows };
}

/** An item of a list as a line. */
export function itemLine({ marker, text, depth, checked }: ListItem): string {
  const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
  return `${'  '.repeat(depth)}${marker} ${box}${onOneLine(text)}`;
}

function escapeCell(text: string): string {
  const trimmed = text.trim();
  if (!/[\\|\n]/.test(trimmed)) return trimmed;
  return onOneLine(trimmed.replaceAll('\\', '\\\\').replaceAll('|', '\\|'));
}
