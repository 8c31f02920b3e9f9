import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/**
 * `exportData`, id `export/{export_id}`, queue `workflows`: writes one export, of files or of the history. Its row has
 * what to write; the parts that are written are rows as well, so that the history stays small and a new attempt
 * continues after the last of them. The row decides races between its end, its cancellation and its expiry.
 */

/** The queue on which an export is written: `cpu` if that takes a processor, or much memory. */
export type ExportQueue = 'io' | 'cpu';

export interface ExportDataInput {
  exportId: string;
  tenantId: string;
  /** Shown to operators only. */
  format: string;
  queue: ExportQueue;
}

export interface ExportDataResult {
  records: number;
}

export const EXPORT_WORKFLOWS = rowWorkflows<ExportDataInput>({
  type: 'exportData',
  prefix: 'export/',
  row: ({ exportId }) => exportId,
  reuse: 'never',
  summary: ({ format }) => `Export as ${format}`,
  priority: ({ tenantId }) => taskPriority('normal', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  // Outages are waited out, but an export that is a day late is useless.
  timeout: '24 hours',
});
