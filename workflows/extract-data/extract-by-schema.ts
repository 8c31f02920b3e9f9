import { CancellationScope } from '@temporalio/workflow';
import { failureReason } from '../../temporal/contract/failures.ts';
import type { StepWorkflowInput, StepEnd } from '../../temporal/contract/digitize-document.ts';
import { createExtractionSteps } from './extraction-steps.ts';
import { runExtraction } from './run-extraction.ts';

/**
 * The schema extraction of an upload: the extraction by the saved schema that it was uploaded with, as a step of the file's own
 * workflow. Nobody waits for its answer, so an outage of the provider is a pause.
 */
export async function extractBySchema(given: StepWorkflowInput): Promise<StepEnd> {
  const { fileId, tenantId, generation, priority } = given;
  const target = { fileId, tenantId, generation };
  const steps = createExtractionSteps({ tenantId, priority });
  const extractionId = await steps.io.openSchemaExtraction(target);
  if (extractionId === undefined) return {};
  const input = { extractionId, tenantId, priority };
  try {
    await runExtraction(steps, input);
  } catch (error) {
    await CancellationScope.nonCancellable(() => steps.io.failExtraction(input, failureReason(error)));
    throw error;
  }
  return {};
}
