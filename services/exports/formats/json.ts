import type { RowValues } from '../../../db/stream-rows.ts';
import { MAX_EXPORTED_RECORDS } from '../../../domain/limits.ts';
import type { Column, TextLayout } from '../table.ts';
import { textFormat } from '../write-parts.ts';

/** One list of objects. */
export const json = textFormat({
  maxRecords: { descriptions: MAX_EXPORTED_RECORDS },
  file: { contentType: 'application/json', extension: 'json' },
  layout: (columns) => ({ head: '[\n', between: ',\n', tail: '\n]\n', row: objectWriter(columns) }),
});

/** One object per line. */
export const jsonl = textFormat({
  maxRecords: { descriptions: MAX_EXPORTED_RECORDS },
  file: { contentType: 'application/x-ndjson', extension: 'jsonl' },
  layout: jsonlLayout,
});

export function jsonlLayout(columns: readonly Column[]): TextLayout {
  const object = objectWriter(columns);
  return { head: '', between: '', tail: '', row: (values) => `${object(values)}\n` };
}

/** Writes a row as one object: only the values differ between rows. */
function objectWriter(columns: readonly Column[]): (values: RowValues) => string {
  const members = columns.map(({ name, within }, at) => {
    const opens = within !== undefined && within !== columns[at - 1]?.within;
    return `${at === 0 ? '{' : ','}${opens ? `${JSON.stringify(within)}:{` : ''}${JSON.stringify(name)}:`;
  });
  const isText = columns.map(({ type }) => type === 'text');
  const end = columns.at(-1)?.within === undefined ? '}' : '}}';
  // Reused for each row, since concatenation creates twice as much garbage.
  const pieces = members.flatMap((member) => [member, '']);
  return (values) => {
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] ?? null;
      pieces[2 * at + 1] = value === null || isText[at] ? JSON.stringify(value) : value;
    }
    return pieces.join('') + end;
  };
}
