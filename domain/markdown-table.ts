/** A Markdown table of rows, the first of which is its heading, with columns padded as the formatter wants them. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_head, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...rest] = rows;
  return [head, widths.map((width) => '-'.repeat(width)), ...rest].map(line).join('');
}
