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

/** Where the files of an import are. Its methods throw errors that sourceReason explains, and the reason of the signal. */
export interface OpenSource {
  /** It is listed to its end, however many files wait, and always from its beginning. */
  isBounded?: true;
  /** Fails if its files cannot be read at all; without it, `list` does. */
  probe?(signal: AbortSignal): Promise<unknown>;
  /** @param cursor of the page before; undefined for the first page */
  list(
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<{ files: SourceFile[]; next: string | undefined }>;
  /** Ends a listing that is not continued. */
  close?(): Promise<void>;
  open(
    item: Pick<ImportItem, 'key' | 'etag'>,
    signal: AbortSignal,
  ): Promise<{ content: Readable; sizeBytes?: number }>;
}
