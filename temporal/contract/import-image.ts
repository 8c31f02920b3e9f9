/**
 * `importImage`, id `image-import/{file_id}`, queue `workflows`: fetches an image that a client has named by its URL, and
 * makes it a file. The URL stays in the row: it may be signed, and histories hold no secrets.
 */
export interface ImportTarget {
  /** The id that the file will have. */
  fileId: string;
  tenantId: string;
}

export type ImportOutcome = 'created' | 'duplicate' | 'failed';
