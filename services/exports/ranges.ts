import type { ExportCursor } from '../../domain/exports/export.ts';
import { isStatementTimeout } from '../shared/outage.ts';
import { TextTooLong, type RowsText } from './table.ts';

/** Concurrent statements of an export: each connection has a processor of the database to itself. */
const READERS = 3;
/** Records of the first range, which may be of any length. */
const FIRST_RECORDS = 100;
const MAX_RECORDS = 10_000;
/** Upper bound of a reader's text, as a multiple of the target. */
const MAX_TIMES_TARGET = 4;

/** Not even one record can be read within the time limit of a statement. */
export class RecordTooSlow extends Error {
  override readonly name = 'RecordTooSlow';
}

/** The records after one, up to another, or to the last one. */
export interface Range {
  after: ExportCursor | undefined;
  upTo: ExportCursor | undefined;
}

export interface RangeReading {
  after: ExportCursor | undefined;
  /** Target size of a read; the memory of each reader is limited to a multiple of it. */
  targetBytes: number;
  /** The n-th record from the beginning of a range; undefined when it has fewer. */
  findEnd: (within: Range, size: number) => Promise<ExportCursor | undefined>;
  /** May throw TextTooLong and statement timeouts: then the range is read in halves. */
  read: (range: Range, maxBytes: number) => Promise<RowsText>;
}

/** A range with a maximum number of records, and its text. */
interface Reading<T> {
  range: Range;
  size: number;
  page: T;
}

/**
 * Reads all records after one in ranges, several concurrently. The size of a range follows from the record lengths of
 * those before; a range that turns out too long, or too slow, is read again in halves. Finding the start of the next
 * range costs little compared with reading one.
 *
 * @returns the pages, in the order of the ranges
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
  // A failure is thrown where this is awaited; after an early exit of the caller it is ignored.
  page.catch(() => undefined);
  return { range, size, page };
}

/** A range that is being read: in one piece, or in halves one after the other, so that only one is in memory. */
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

/** The size of the first half of a range and its last record; no record for a range of one. */
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

/** At most twice as many records as this range had, in case the next ones are longer. */
function nextSize({ size, page: { text, records } }: Reading<RowsText>, targetBytes: number): number {
  const fitting = Math.ceil(targetBytes / ((text.length + 1) / (records + 1)));
  return Math.min(fitting, 2 * size, MAX_RECORDS);
}
