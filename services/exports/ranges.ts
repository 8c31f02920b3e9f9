import type { ExportCursor } from '../../domain/exports/cursor.ts';
import type { CopiedText } from './copy-text.ts';

/** Statements of an export at a time: each connection has a processor of the database to itself. */
const READERS = 3;
/** Records of the first range, which may be as long as records get. */
const FIRST_RECORDS = 100;
const MAX_RECORDS = 10_000;

/** The records after one, up to another: to the last without it. */
export interface Range {
  after: ExportCursor | undefined;
  upTo: ExportCursor | undefined;
}

export interface RangeReading {
  after: ExportCursor | undefined;
  /** About as much is read at a time, and is in memory for each reader. */
  targetBytes: number;
  /** The last record of the range of so many after this one; undefined when fewer are left. */
  findEnd: (after: ExportCursor | undefined, size: number) => Promise<ExportCursor | undefined>;
  read: (range: Range) => Promise<CopiedText>;
}

/**
 * Reads all records after one by ranges, some of them at a time. Each has as many records as make the wanted bytes, by the
 * length of those before. To find where the next range begins costs little beside reading one.
 *
 * @returns what was read, in the order of the ranges
 */
export async function* readRanges({
  after,
  targetBytes,
  findEnd,
  read,
}: RangeReading): AsyncIterable<{ range: Range; copied: CopiedText }> {
  const reading: Promise<{ range: Range; copied: CopiedText }>[] = [];
  let size = FIRST_RECORDS;
  for (let begin = after; ;) {
    const upTo = await findEnd(begin, size);
    const range = { after: begin, upTo };
    const result = read(range).then((copied) => ({ range, copied }));
    // Its failure is thrown when it is awaited; a caller that leaves before is not interested.
    result.catch(() => undefined);
    reading.push(result);
    if (!upTo) break;
    begin = upTo;
    const [first] = reading.length < READERS ? [] : reading.splice(0, 1);
    if (!first) continue;
    const done = await first;
    size = nextSize(size, done.copied, targetBytes);
    yield done;
  }
  for (const result of reading) yield await result;
}

/** At most twice as many records, in case that the next ones are longer. */
function nextSize(size: number, { text, records }: CopiedText, targetBytes: number): number {
  const fitting = Math.ceil(targetBytes / ((text.length + 1) / (records + 1)));
  return Math.min(fitting, 2 * size, MAX_RECORDS);
}
