import { writeXlsxStream } from 'hucre/xlsx';
import type { Cell } from '../../domain/exports/cell.ts';

/**
 * A workbook with one sheet, as the bytes of its file, while the rows arrive. Text is stored as text, so that no cell is
 * a formula; each text is in its cell, because a table of shared ones would have to be kept in memory.
 */
export function writeXlsx(
  sheetName: string,
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncIterable<Uint8Array> {
  return writeXlsxStream(withHeader(header, rows), {
    name: sheetName,
    freezePane: { rows: 1 },
    inlineStrings: true,
  });
}

async function* withHeader(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncIterable<Cell[]> {
  yield [...header];
  for await (const row of rows) yield [...row];
}
