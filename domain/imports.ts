import type { FailureReason } from './components.ts';
import type { ContentCategory, RequestedCategory } from './content-categories.ts';
import { MAX_IMPORTED_BYTES } from './limits.ts';
import type { UploadOptions } from './uploads/upload-options.ts';

/** `waiting`: for credits or for the source; shown as paused, but it resumes by itself. */
export const IMPORT_STATUSES = [
  'pending',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
/** As clients see them. */
export const SHOWN_IMPORT_STATUSES = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly ImportStatus[];
/** Those with a workflow. */
export const OPEN_IMPORT_STATUSES: readonly ImportStatus[] = ['pending', 'running', 'waiting'];

export function isImportOpen(status: ImportStatus): boolean {
  return OPEN_IMPORT_STATUSES.includes(status);
}

export const IMPORT_ITEM_STATUSES = ['pending', 'imported', 'skipped', 'failed'] as const;
export type ImportItemStatus = (typeof IMPORT_ITEM_STATUSES)[number];

/** Where the files of an import are. */
export type ImportSource =
  /** A bucket by a connection, or without one the bucket of the account. */
  | { type: 'bucket'; connectionId: string; prefix: string }
  | { type: 'own_bucket'; prefix: string }
  /** A folder that the operator allows. */
  | { type: 'folder'; path: string }
  /** A list of URLs, or with a connection of the keys of its bucket. */
  | { type: 'manifest'; url: string; connectionId?: string | undefined };

/** What all files of an import get. */
export interface ImportSettings {
  tags: string[];
  contentCategory: RequestedCategory;
  options: UploadOptions;
  folderId: string | null;
  /** The bucket of the account; the service's own if absent. */
  storageConfigId?: string;
}

/** What a row of a manifest says of its file, in place of the settings of the import. */
export interface ItemAttributes {
  title?: string;
  tags?: string[];
  folderId?: string;
  contentCategory?: ContentCategory;
  customSchemaId?: string;
}

/** What becomes of a file whose version has gone from the source, at the next pass. */
export const WHEN_GONE = ['keep', 'trash'] as const;
export type WhenGone = (typeof WHEN_GONE)[number];

/** Files of an import that are fetched at the same time. */
export const USUAL_IMPORT_CONCURRENCY = 4;
export const MAX_IMPORT_CONCURRENCY = 16;

/** Codes of items that were left out, not failed: importing them again would change nothing. */
const SKIPPING = new Set([
  'ROW_INVALID',
  'SOURCE_KEY_INVALID',
  'DUPLICATE',
  'EMPTY_FILE',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_MEDIA',
]);

/** How an item ended that has no file of its own. */
export function endOfItem(code: string): 'skipped' | 'failed' {
  return SKIPPING.has(code) ? 'skipped' : 'failed';
}

/** Why a file of this size is skipped; null for one that is fetched. */
export function reasonOfSize(sizeBytes: number | null): FailureReason | null {
  if (sizeBytes === 0) return { code: 'EMPTY_FILE', message: 'the file is empty' };
  if (sizeBytes === null || sizeBytes <= MAX_IMPORTED_BYTES) return null;
  return { code: 'FILE_TOO_LARGE', message: `the file is larger than ${MAX_IMPORTED_BYTES} bytes` };
}

/** Why an item is skipped whose id is that of a file that was removed. */
export const FILE_REMOVED = {
  code: 'FILE_REMOVED',
  message: 'its file was in the trash, and has been removed for good; another import fetches it again',
};
