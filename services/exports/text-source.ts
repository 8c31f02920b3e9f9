import type { ExportCursor } from '../../domain/exports/cursor.ts';
import type { CopiedText } from './copy-text.ts';

/** The aim for a page: two or three make a part. */
export const PAGE_BYTES = 3 * 1024 * 1024;

/** Some records as text, in the order of the export. */
export interface TextPage extends CopiedText {
  /** Where the records after it begin; undefined where there are none. */
  cursor: ExportCursor | undefined;
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
