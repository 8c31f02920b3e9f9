import type { ExportCursor } from '../../domain/exports/cursor.ts';

/** Some records as text, in the order of the export. */
export interface TextPage {
  text: string;
  records: number;
  /** The last of them. */
  cursor: ExportCursor;
}

/** Records as text, of which any page can be read again. */
export interface TextSource {
  contentType: string;
  /** Before the first record, between two pages, and after the last record. */
  head: string;
  between: string;
  tail: string;
  /** How many records there are, at most as many as are wanted. */
  count(): Promise<number>;
  /** The records after this one. */
  pages(after: ExportCursor | undefined, written: number): AsyncIterable<TextPage>;
}

/** What an attempt to write an export gets. */
export interface ExportControls {
  signal: AbortSignal;
  onProgress: (records: number, expected: number | null) => void;
}

/** Reads the next page while the caller uses the one before. */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncIterable<T> {
  const iterator = pages[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const { value, done } = await next;
    if (done) return;
    next = iterator.next();
    // Its failure is thrown when it is awaited; a caller that leaves before is not interested.
    next.catch(() => undefined);
    yield value;
  }
}
