import type { FileColumn } from './file-columns.ts';
import type { HistoryField, HistoryFilter } from './history.ts';

/** The parameters of an export of files. */
export interface FilesSpec {
  columns: { key: FileColumn; name: string }[];
  fileIds?: string[] | undefined;
  /** Folder id, or `root`. */
  folderId?: string | undefined;
  includeSubfolders: boolean;
  /** Comma-separated tags in one cell; otherwise a JSON list. */
  flattenTags: boolean;
  sheetName: string;
  /** Title of a spreadsheet at a provider. */
  title: string;
}

/** The parameters of an export of the history. */
export interface HistorySpec {
  filter: HistoryFilter;
  fields: HistoryField[];
  includeMetadata: boolean;
  /** Appends files whose description failed, after all records that have one. */
  includeFailed: boolean;
  limit: number;
}
