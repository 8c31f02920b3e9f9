import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/**
 * `reprocessFiles`, id `reprocessing/{reprocessing_id}`, queue `workflows`: processes the files of a selection again, a
 * bounded number at a time. Its row has the selection, the place that was reached and the desired state, and each file has a
 * row, so that neither input nor history grows with the number of files.
 *
 * `rollBackReprocessing`, id `reprocessing-rollback/{reprocessing_id}`: puts the descriptions back, page by page.
 */
export interface ReprocessingTarget {
  reprocessingId: string;
  tenantId: string;
}

/** The row was paused or resumed: read it. A signal, because it needs no answer; a lost one is noticed by the next round. */
export const REPROCESSING_CHANGED = 'reprocessingChanged';

/** What one round has found and done. */
export interface ReprocessingRound {
  state: 'processing' | 'paused' | 'ended';
  /** Files that were opened, and files that were seen. */
  opened: number;
  seen: number;
  /** Files in progress. */
  processing: number;
  filesPerMinute: number | null;
  /** One line for operators. */
  details: string;
}

/** Files of one reprocessing in progress at a time. */
export const REPROCESSED_AT_ONCE = 50;

export const REPROCESSING_WORKFLOWS = rowWorkflows<ReprocessingTarget>({
  type: 'reprocessFiles',
  prefix: 'reprocessing/',
  row: ({ reprocessingId }) => reprocessingId,
  reuse: 'never',
  summary: () => 'Files that are processed again',
  // Current uploads take precedence.
  priority: ({ tenantId }) => taskPriority('bulk', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
});

export const REPROCESSING_ROLLBACKS = rowWorkflows<ReprocessingTarget>({
  type: 'rollBackReprocessing',
  prefix: 'reprocessing-rollback/',
  row: ({ reprocessingId }) => reprocessingId,
  // Requested again after one that failed.
  reuse: 'joined',
  summary: () => 'Former descriptions that are put back',
  priority: ({ tenantId }) => taskPriority('bulk', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
});
