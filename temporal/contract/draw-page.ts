import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import type { Workflow } from './workflow.ts';

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

export const DRAW_PAGE: Workflow<DrawPageInput> = {
  type: 'drawPage',
  id: ({ fileId, pageNumber, width }) => `page-image/${fileId}/${pageNumber}/${width}`,
  // A page that is read again gets another picture.
  reuse: 'joined',
  summary: ({ pageNumber, width }) => `Picture of page ${pageNumber}, ${width} pixels wide`,
  priority: ({ tenantId }) => taskPriority('interactive', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
};
