/**
 * `drawPage`, id `page-image/{file_id}/{page}/{width}`, queue `workflows`: the picture of a page that a request waits for.
 * Its row has the picture, or why it could not be drawn.
 */
export interface DrawPageInput {
  fileId: string;
  tenantId: string;
  pageNumber: number;
  width: number;
}
