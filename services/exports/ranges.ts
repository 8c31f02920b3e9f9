import type { ExportCursor } from '../../domain/exports/export.ts';
import { isStatementTimeout } from '../shared/outage.ts';
import { TextTooLong, type RowsText } from './table.ts';

/** Statements of an export at a time: each connection has a processor of the database to itself. */
const READERS = 3;
/** Records of the first range, which may be as long as records get. */
const FIRST_RECORDS = 100;
const MAX_RECORDS = 10_000;
/** What a reader may hold, in times of what it should. */
const MAX_TIMES_TARGET = 4;

/** Not even one record can be read within the time limit of a statement. */
export class RecordTooSlow extends Error {
  override readonly name = 'RecordTooSlow';
}

/** The records after one, up to another: to the last without it. */
export interface Range {
  after: ExportCursor | undefined;
  upTo: ExportCursor | undefined;
}

export interface RangeReading {
  after: ExportCursor | undefined;
  /** About as much is read at a time, and no more than some times as much is in memory for each reader. */
  targetBytes: number;
  /** The last of so many records from the beginning of a range; undefined when it has fewer. */
  findEnd: (within: Range, size: number) => Promise<ExportCursor | undefined>;
  /** May throw TextTooLong and statement timeouts: then the range is read in halves. */
  read: (range: Range, maxBytes: number) => Promise<RowsText>;
}

/** A range of at most so many records, and its text. */
interface Reading<T> {
  range: Range;
  size: number;
  page: T;
}

/**
 * Reads all records after one by ranges, some of them at a time. Each has as many records as make the wanted bytes, by the
 * length of those before; one that turns out too long, or too slow, is read again in halves. To find where the next range
 * begins costs little beside reading one.
 *
 * @returns what was read, in the order of the ranges
 * @throws RecordTooSlow
 */
export async function* readRanges(reader: RangeReading): AsyncIterable<{ range: Range; page: RowsText }> {
  const { after, targetBytes, findEnd } = reader;
  const readings: Reading<Promise<RowsText>>[] = [];
  let size = FIRST_RECORDS;
  for (let begin = after; ;) {
    const upTo = await findEnd({ after: begin, upTo: undefined }, size);
    readings.push(begun(reader, { after: begin, upTo }, size));
    if (!upTo) break;
    begin = upTo;
    const [first] = readings.length < READERS ? [] : readings.splice(0, 1);
    if (!first) continue;
    for await (const done of inHalves(reader, first)) {
      size = nextSize(done, targetBytes);
      yield done;
    }
  }
  for (const reading of readings) yield* inHalves(reader, reading);
}

function begun({ read, targetBytes }: RangeReading, range: Range, size: number): Reading<Promise<RowsText>> {
  const page = read(range, MAX_TIMES_TARGET * targetBytes);
  // Its failure is thrown when it is awaited; a caller that leaves before is not interested.
  page.catch(() => undefined);
  return { range, size, page };
}

/** A range that is being read: in one piece, or its halves one after the other, so that only one of them is in memory. */
async function* inHalves(
  reader: RangeReading,
  { range, size, page }: Reading<Promise<RowsText>>,
): AsyncIterable<Reading<RowsText>> {
  let whole: RowsText | undefined;
  try {
    whole = await page;
  } catch (error) {
    if (!(error instanceof TextTooLong) && !isStatementTimeout(error)) throw error;
    const [half, middle] = await findMiddle(reader, range, size);
    if (!middle) throw new RecordTooSlow('one record takes longer than a statement may', { cause: error });
    yield* inHalves(reader, begun(reader, { ...range, upTo: middle }, half));
    yield* inHalves(reader, begun(reader, { ...range, after: middle }, size - half));
  }
  if (whole) yield { range, size, page: whole };
}

/** Half of the size of a range, or less where it has fewer records, and the last one of so many; none of a single one. */
async function findMiddle(
  { findEnd }: RangeReading,
  range: Range,
  size: number,
): Promise<[number, ExportCursor | undefined]> {
  for (let half = size; half > 1;) {
    half = Math.ceil(half / 2);
    const middle = await findEnd(range, half);
    if (middle) return [half, middle];
  }
  return [0, undefined];
}

/** At most twice as many records as this range had, in case that the next ones are longer. */
function nextSize({ size, page: { text, records } }: Reading<RowsText>, targetBytes: number): number {
  const fitting = Math.ceil(targetBytes / ((text.length + 1) / (records + 1)));
  return Math.min(fitting, 2 * size, MAX_RECORDS);
}
