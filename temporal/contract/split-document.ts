import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/**
 * `splitDocument`, id `split/{split_id}`, queue `workflows`: divides a PDF into files. Its row has the parts, and each
 * part that is stored is a file, so that the history stays small and a new attempt continues after the last of them.
 */
export interface SplitTarget {
  splitId: string;
  tenantId: string;
}

export const SPLIT_WORKFLOWS = rowWorkflows<SplitTarget>({
  type: 'splitDocument',
  prefix: 'split/',
  row: ({ splitId }) => splitId,
  reuse: 'never',
  summary: () => 'Division of a document',
  priority: ({ tenantId }) => taskPriority('normal', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId, mediaType: 'document' }),
});
