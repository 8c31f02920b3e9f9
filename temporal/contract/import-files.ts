import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/**
 * `importFiles`, id `import/{import_id}`, queue `workflows`: lists a source and imports what it has, in rounds. Rows have the
 * place in the listing and what was found, so that each run continues where the one before was. A pause or cancellation
 * ends the run; resuming begins the next generation.
 */
export interface ImportFilesInput {
  importId: string;
  tenantId: string;
  generation: number;
  /** How often in a row it has waited, before it continued as new. */
  waits?: number;
}

/** What a round of an import has reached. */
export type ImportRound =
  /** The source has more, or items wait. */
  | 'more'
  /** Everything listed has ended. */
  | 'listed'
  /** For credits, or for the source. */
  | 'waiting'
  /** The row is no longer that of this generation, or is closed. */
  | 'ended';

export const IMPORT_WORKFLOWS = rowWorkflows<ImportFilesInput>({
  type: 'importFiles',
  prefix: 'import/',
  row: ({ importId }) => importId,
  reuse: 'by_generation',
  summary: ({ generation }) => `Import, generation ${generation}`,
  priority: ({ tenantId }) => taskPriority('bulk', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  memo: ({ generation, tenantId }) => ({ generation, tenantId }),
});
