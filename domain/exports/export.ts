/** What an export holds: the list of files (section F), or the history of descriptions (section M). */
export const EXPORT_KINDS = ['files', 'descriptions'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const FILE_EXPORT_FORMATS = ['csv', 'xlsx', 'docx', 'google_sheets'] as const;
export const DATA_EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type FileExportFormat = (typeof FILE_EXPORT_FORMATS)[number];
export type DataExportFormat = (typeof DATA_EXPORT_FORMATS)[number];
export type ExportFormat = FileExportFormat | DataExportFormat;
export const EXPORT_FORMATS: readonly ExportFormat[] = [
  ...new Set([...FILE_EXPORT_FORMATS, ...DATA_EXPORT_FORMATS]),
];

export const EXPORT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];
/** `pending` until the engine knows of it. */
export const OPEN_EXPORT_STATUSES: readonly ExportStatus[] = ['pending', 'processing'];

export function isExportOpen(status: ExportStatus): boolean {
  return OPEN_EXPORT_STATUSES.includes(status);
}

/** The reason of an export that was cancelled through the API. */
export const EXPORT_CANCELLED = { code: 'EXPORT_CANCELLED', message: 'the export was cancelled' };

/** The content type of the file of an export; a spreadsheet at a provider is no file of ours. */
export const EXPORT_CONTENT_TYPES: Readonly<Record<Exclude<ExportFormat, 'google_sheets'>, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

/**
 * The most files that an export of a format holds. A table of Word is unusable beyond some pages, and its file is made in
 * memory, at some 10 KiB a cell; a spreadsheet at Google has ten million cells, so that 50,000 rows of 100 columns fit.
 */
export const MAX_EXPORTED_FILES: Readonly<Record<FileExportFormat, number>> = {
  csv: 100_000,
  xlsx: 100_000,
  docx: 500,
  google_sheets: 50_000,
};

/** The most text in a docx, which is made in memory, at some 4 KiB a line of a cell. */
export const MAX_DOCX_TEXT = { lines: 50_000, characters: 16 * 1024 * 1024 };
