import { setCurrentDetails } from '@temporalio/workflow';
import type { ExtractDataInput } from '../../temporal/contract/extract-data.ts';
import type { ExtractionSteps } from './extraction-steps.ts';

/** Calls of a model at a time, for one document. */
const AT_ONCE = 3;

/** The steps of an extraction up to its result; throws what fails. */
export async function runExtraction(
  steps: ExtractionSteps,
  { extractionId, tenantId, giveUpAt }: ExtractDataInput,
): Promise<void> {
  const { io, finish, fetch, render, read } = steps;
  const target = { extractionId, tenantId };
  setCurrentDetails('Preparing.');
  const plan = await io.planExtraction(target);
  if (plan.fetch) await fetch.fetchExtractionPicture(target);
  await Promise.all([
    plan.show && render.renderExtractionPicture(target),
    plan.read && read.readExtractionPicture(target),
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
