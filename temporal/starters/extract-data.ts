import type { Engine } from '../client.ts';
import { EXTRACT_DATA, type ExtractDataInput } from '../contract/extract-data.ts';
import { extractionWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { searchAttributes } from '../contract/search-attributes.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';
import { unlessStarted } from './start-generation.ts';

/**
 * Starts the workflow of an extraction, once. Idempotent.
 *
 * @param staticSummary one line for operators
 * @throws EngineUnavailable
 */
export async function startExtractData(
  engine: Engine,
  input: ExtractDataInput,
  staticSummary: string,
): Promise<void> {
  const { extractionId, tenantId, priority } = input;
  await unlessStarted(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(EXTRACT_DATA, {
        workflowId: extractionWorkflowId(extractionId),
        taskQueue: QUEUES.workflows,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        priority: lane(priority, tenantId),
        typedSearchAttributes: searchAttributes({ tenantId }),
        staticSummary,
      }),
    ),
  );
}
