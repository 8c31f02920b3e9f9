import { CancellationScope, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { failureReason } from '../temporal/contract/failures.ts';
import type { StepEnd, StepWorkflowInput } from '../temporal/contract/digitize-document.ts';
import type { ExtractDataInput } from '../temporal/contract/extract-data.ts';
import type { Activities } from '../activities/index.ts';
import { QUEUES, taskPriority, visionQueue } from '../temporal/contract/queues.ts';
import { cpuBound, ocr, quickIo, vision, webFetch } from './activity-options.ts';
import { endAsFailed } from './end-as-failed.ts';

/** Calls of a model at a time, for one document. */
const AT_ONCE = 3;

/** One extraction by a schema that a request waits for. Its row has the result, or why there is none. */
export async function extractData(input: ExtractDataInput): Promise<void> {
  const steps = createExtractionSteps(input);
  try {
    await runExtraction(steps, input);
  } catch (error) {
    const reason = failureReason(error);
    await CancellationScope.nonCancellable(() => steps.io.failExtraction(input, reason));
    if (isCancellation(error)) throw error;
    setCurrentDetails(`Failed: ${reason.code}.`);
    endAsFailed(reason);
  }
}

/**
 * The schema extraction of an upload: extracts by the saved schema that the file was uploaded with, as a step of the file's
 * own workflow. No client waits for its answer, so an outage of the provider is a pause.
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

/** Runs the steps of an extraction up to its result. Throws the first failure of a step. */
async function runExtraction(
  steps: ExtractionSteps,
  { extractionId, tenantId, giveUpAt }: ExtractDataInput,
): Promise<void> {
  const { io, finish, fetch, render, read } = steps;
  const target = { extractionId, tenantId };
  setCurrentDetails('Preparing.');
  const plan = await io.planExtraction(target);
  if (plan.fetch) await fetch.fetchExtractionImage(target);
  await Promise.all([
    plan.show && render.renderExtractionImage(target),
    plan.read && read.readExtractionImage(target),
  ]);
  const { extractPart } = steps.model(plan.provider);
  for (let first = 0; first < plan.parts; first += AT_ONCE) {
    setCurrentDetails(`Part ${first + 1} of ${plan.parts}, by ${plan.provider}.`);
    const parts = Array.from({ length: Math.min(AT_ONCE, plan.parts - first) }, (_, at) => first + at);
    await Promise.all(parts.map((part) => extractPart({ ...target, part, ...(giveUpAt && { giveUpAt }) })));
  }
  await finish.finishExtraction(target);
  setCurrentDetails('Ended: completed.');
}

type IoSteps = Pick<Activities, 'openSchemaExtraction' | 'planExtraction' | 'failExtraction'>;

/** The activities of an extraction, each on the queue of its class of work. */
interface ExtractionSteps {
  io: IoSteps;
  finish: Pick<Activities, 'finishExtraction'>;
  fetch: Pick<Activities, 'fetchExtractionImage'>;
  render: Pick<Activities, 'renderExtractionImage'>;
  read: Pick<Activities, 'readExtractionImage'>;
  model: (provider: string) => Pick<Activities, 'extractPart'>;
}

function createExtractionSteps({
  tenantId,
  priority,
}: Pick<ExtractDataInput, 'tenantId' | 'priority'>): ExtractionSteps {
  const prioritised = { priority: taskPriority(priority, tenantId) };
  return {
    io: proxyActivities<IoSteps>({ ...quickIo, ...prioritised, taskQueue: QUEUES.io, summary: 'Extraction' }),
    // It cites from all pages of a document.
    finish: proxyActivities({ ...cpuBound, ...prioritised, taskQueue: QUEUES.cpu, summary: 'Result' }),
    fetch: proxyActivities({
      ...webFetch,
      ...prioritised,
      taskQueue: QUEUES.web,
      summary: 'Image behind the URL',
    }),
    render: proxyActivities({ ...cpuBound, ...prioritised, taskQueue: QUEUES.cpu, summary: 'Image' }),
    read: proxyActivities({ ...ocr, ...prioritised, taskQueue: QUEUES.ocr, summary: 'Text of the image' }),
    model: (provider) =>
      proxyActivities({
        ...vision,
        // The answer is checked in turn with other work of the tenant; the call of the model has a limit of its own.
        startToCloseTimeout: '10 min',
        ...prioritised,
        taskQueue: visionQueue(provider),
        summary: `Data by ${provider}`,
      }),
  };
}
