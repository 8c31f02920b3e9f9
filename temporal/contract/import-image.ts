import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

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

export const IMAGE_IMPORT_WORKFLOWS = rowWorkflows<ImportTarget>({
  type: 'importImage',
  prefix: 'image-import/',
  row: ({ fileId }) => fileId,
  reuse: 'never',
  summary: () => 'Import of an image from its URL',
  priority: ({ tenantId }) => taskPriority('interactive', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId, mediaType: 'image' }),
});
