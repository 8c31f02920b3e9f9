import { CancellationScope, isCancellation, setCurrentDetails } from '@temporalio/workflow';
import { failureReason } from '../../temporal/contract/failures.ts';
import type { ExtractDataInput } from '../../temporal/contract/extract-data.ts';
import { createExtractionSteps } from './extraction-steps.ts';
import { runExtraction } from './run-extraction.ts';

/** One extraction by a schema. Its row has the result, or why there is none. */
export async function extractData(input: ExtractDataInput): Promise<void> {
  const steps = createExtractionSteps(input);
  try {
    await runExtraction(steps, input);
  } catch (error) {
    const reason = failureReason(error);
    await CancellationScope.nonCancellable(() => steps.io.failExtraction(input, reason));
    if (isCancellation(error)) throw error;
    setCurrentDetails(`Failed: ${reason.code}.`);
  }
}
