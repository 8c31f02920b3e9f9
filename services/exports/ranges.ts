import type { ExportCursor } from '../../domain/exports/cursor.ts';

/** Statements of an export at a time: each connection has a processor of the database to itself. */
const READERS = 3;

/** The records after one, up to another: to the last without it. */
export interface Range {
  after: ExportCursor | undefined;
  upTo: ExportCursor | undefined;
}

/**
 * Reads all records after one by ranges, some of them at a time. To find where the next range begins costs little beside
 * reading one.
 *
 * @param findEnd the last record of the range after this one; undefined when fewer are left
 * @returns what was read, in the order of the ranges
 */
export async function* readRanges<T>(
  after: ExportCursor | undefined,
  findEnd: (after: ExportCursor | undefined) => Promise<ExportCursor | undefined>,
  read: (range: Range) => Promise<T>,
): AsyncIterable<T> {
  const reading: Promise<T>[] = [];
  for (let begin = after; ;) {
    const upTo = await findEnd(begin);
    const result = read({ after: begin, upTo });
    // Its failure is thrown when it is awaited; a caller that leaves before is not interested.
    result.catch(() => undefined);
    reading.push(result);
    if (!upTo) break;
    begin = upTo;
    const [first] = reading.length < READERS ? [] : reading.splice(0, 1);
    if (first) yield await first;
  }
  for (const result of reading) yield await result;
}
