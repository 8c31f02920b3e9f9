/** A table as rows of cells; the first row is its head. */
export type TableRows = readonly (readonly string[])[];

/** Reads a Markdown table, as elements and texts have it; null for any other text. */
export function readMarkdownTable(text: string): TableRows | null {
  const lines = text.trim().split('\n');
  const [head, rule, ...body] = lines;
  if (head === undefined || rule === undefined || !/^\|?[\s:|-]*-[\s:|-]*$/.test(rule)) return null;
  if (![head, ...body].every((line) => line.trim().startsWith('|'))) return null;
  return [head, ...body].map(cellsOf);
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) =>
    cell
      .trim()
      .replaceAll(/<br\s*\/?>/gi, '\n')
      .replaceAll(/\\([|\\])/g, '$1'),
  );
}
