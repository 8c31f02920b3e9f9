/** Kinds of exports: the list of files (section F), or the history of descriptions (section M). */
export const EXPORT_KINDS = ['files', 'descriptions'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];
/** `pending` until the engine has accepted the export. */
export const OPEN_EXPORT_STATUSES: readonly ExportStatus[] = ['pending', 'processing'];

export function isExportOpen(status: ExportStatus): boolean {
  return OPEN_EXPORT_STATUSES.includes(status);
}

/** The reason of an export that was cancelled through the API. */
export const EXPORT_CANCELLED = { code: 'EXPORT_CANCELLED', message: 'the export was cancelled' };

/** The last record that was read, as lossless text; the order is total, so the next page begins right after it. */
export interface ExportCursor {
  /** Of the history: records with a description, or those whose description failed. */
  phase?: 'failed';
  /** Values of the keys of the order. */
  place: string[];
}
