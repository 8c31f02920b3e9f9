import type { FileColumn } from './file-columns.ts';
import type { HistoryField, HistoryFilter } from './history.ts';

/** What an export of files was asked for. */
export interface FilesSpec {
  columns: { key: FileColumn; name: string }[];
  fileIds?: string[] | undefined;
  /** Id of a folder, or `root`. */
  folderId?: string | undefined;
  includeSubfolders: boolean;
  /** Tags in one cell with commas between; otherwise as a JSON list. */
  flattenTags: boolean;
  sheetName: string;
  /** Of a spreadsheet at a provider. */
  title: string;
}

/** What an export of the history was asked for. */
export interface HistorySpec {
  filter: HistoryFilter;
  fields: HistoryField[];
  includeMetadata: boolean;
  /** Files whose description failed, after all records that have one. */
  includeFailed: boolean;
  limit: number;
}
