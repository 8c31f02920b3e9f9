/** The last record that was read, as lossless text; the order is total, so the next page begins right after it. */
export interface ExportCursor {
  /** Of the history: records with a description, or those whose description failed. */
  phase?: 'failed';
  /** Values of the keys of the order. */
  place: string[];
}
