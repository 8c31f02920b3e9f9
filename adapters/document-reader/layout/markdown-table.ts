/** Rows of cells as GitHub-flavoured Markdown. The first row becomes the header, as the format demands one. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const written = rows.map((row) => {
    const cells = Array.from({ length: columns }, (_, column) => escapeCell(row[column] ?? ''));
    return `| ${cells.join(' | ')} |`;
  });
  const [header = '', ...others] = written;
  return [header, `|${' --- |'.repeat(columns)}`, ...others].join('\n');
}

function escapeCell(text: string): string {
  return text
    .trim()
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/(?<!\s)\s*\n\s*/g, '<br>');
}
