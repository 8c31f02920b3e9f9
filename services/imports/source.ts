import type { Readable } from 'node:stream';
import type { ImportItem } from '../../db/entities/imports/import-item.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { ItemAttributes } from '../../domain/imports.ts';

/** A file at a source. */
export interface SourceFile {
  key: string;
  /** Empty where the source has none. */
  etag: string;
  sizeBytes: number | null;
  attributes?: ItemAttributes;
  /** Why it is skipped from the beginning. */
  reason?: FailureReason;
}

export interface SourcePage {
  files: SourceFile[];
  next: string | undefined;
  /** Files may be missing from it, so that none is taken for gone. */
  isPartial?: boolean;
}

/** Where the files of an import are. Its methods throw errors that sourceReason explains, and the reason of the signal. */
export interface OpenSource {
  /** It is listed to its end, however many files wait, and always from its beginning. */
  isBounded?: true;
  /** Fails if its files cannot be read at all; without it, `list` does. */
  probe?(signal: AbortSignal): Promise<unknown>;
  /** @param cursor of the page before; undefined for the first page */
  list(cursor: string | undefined, signal: AbortSignal): Promise<SourcePage>;
  /** Ends what is open, such as a listing that is not continued. */
  close?(): Promise<void>;
  open(
    item: Pick<ImportItem, 'key' | 'etag'>,
    signal: AbortSignal,
  ): Promise<{ content: Readable; sizeBytes?: number }>;
}

/** The listing of a source that is bounded: a cursor continues the one that has returned it. */
export function boundedListing(
  pages: (signal: AbortSignal) => AsyncGenerator<Omit<SourcePage, 'next'>, undefined>,
): Required<Pick<OpenSource, 'isBounded' | 'list' | 'close'>> {
  let rows: ReturnType<typeof pages> | undefined;
  return {
    isBounded: true,
    async list(cursor, signal) {
      if (cursor === undefined) await rows?.return(undefined);
      if (cursor === undefined || !rows) rows = pages(signal);
      const page = await rows.next();
      return page.done ? { files: [], next: undefined } : { ...page.value, next: 'more' };
    },
    async close() {
      await rows?.return(undefined);
    },
  };
}
