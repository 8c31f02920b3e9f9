import { taskPriority, type PriorityName } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/** The extraction that an activity works on. */
export interface ExtractionTarget {
  extractionId: string;
  tenantId: string;
}

/**
 * `extractData`, id `extraction/{extraction_id}`, queue `workflows`: one extraction by a schema, from the content that
 * its row names to the result in that row.
 */
export interface ExtractDataInput extends ExtractionTarget {
  priority: PriorityName;
  /**
   * When calls of an unavailable model stop, ISO 8601, because the client that waits for the result would give up.
   * Without it, an outage of the provider is a pause.
   */
  giveUpAt?: string;
}

/** The work to do, from the row. */
export interface ExtractionPlan {
  /** It is an image behind a URL. */
  fetch: boolean;
  /** It is an image that nothing has been read in yet. */
  read: boolean;
  /** The model needs its pixels. */
  show: boolean;
  /** How many calls of the model there are: one for an image, one for each window of a document. */
  parts: number;
  /** The provider whose queue they wait in. */
  provider: string;
}

/** One call of a model. */
export interface ExtractionPartTarget extends ExtractionTarget {
  part: number;
  giveUpAt?: string;
}

export const EXTRACTION_WORKFLOWS = rowWorkflows<ExtractDataInput>({
  type: 'extractData',
  prefix: 'extraction/',
  row: ({ extractionId }) => extractionId,
  reuse: 'never',
  summary: () => 'Extraction by a schema',
  priority: ({ priority, tenantId }) => taskPriority(priority, tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
});
