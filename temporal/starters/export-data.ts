import { WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from '../client.ts';
import { EXPORT_DATA, EXPORT_TIMEOUT, type ExportDataInput } from '../contract/export-data.ts';
import { exportWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { searchAttributes } from '../contract/search-attributes.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';
import { unlessStarted } from './start-generation.ts';

/**
 * Starts the workflow of an export, once. Idempotent.
 *
 * @param staticSummary one line for operators
 * @throws EngineUnavailable
 */
export async function startExportData(
  engine: Engine,
  input: ExportDataInput,
  staticSummary: string,
): Promise<void> {
  const { exportId, tenantId } = input;
  await unlessStarted(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(EXPORT_DATA, {
        workflowId: exportWorkflowId(exportId),
        taskQueue: QUEUES.workflows,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: EXPORT_TIMEOUT,
        priority: lane('normal', tenantId),
        typedSearchAttributes: searchAttributes({ tenantId }),
        staticSummary,
      }),
    ),
  );
}

/**
 * Cancels the workflow of an export that has ended otherwise. One that has ended, or was never started, is left alone.
 *
 * @throws EngineUnavailable
 */
export async function cancelExportData(engine: Engine, exportId: string): Promise<void> {
  try {
    await engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.getHandle(exportWorkflowId(exportId)).cancel(),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
