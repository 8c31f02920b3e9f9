import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createImageActivities } from '../activities/images/image-activities.ts';
import { createOcrActivities } from '../activities/ocr/ocr-activities.ts';
import { createProcessingActivities } from '../activities/processing/processing-activities.ts';
import { createSimilarityActivities } from '../activities/similarity/similarity-activities.ts';
import { createVisionActivities } from '../activities/vision/vision-activities.ts';
import type { StoredFile } from '../db/entities/files/stored-file.ts';
import { outstanding } from '../domain/components.ts';
import { stepsOf, type StepActivity } from '../domain/pipelines/index.ts';
import { endFileRun } from '../services/processing/end-file-run.ts';
import { FILES_IN_FLIGHT } from '../temporal/contract/batch-session.ts';
import { fileWorkflowId } from '../temporal/contract/ids.ts';
import type { WorkerConfig } from '../worker/config.ts';
import type { WorkerDeps } from '../worker/deps.ts';
import { FileRun } from '../workflows/process-file/file-run.ts';
import { limitTo } from './limit-to.ts';

const now = () => new Date().toISOString();

/**
 * What one would write without an engine: a loop that calls the activity functions of `processFile` in the same order,
 * with the concurrency of the workers, and writes the same rows. It lacks what the engine is for: durability,
 * visibility, pauses and retries.
 */
export function createPlainLoop(
  deps: WorkerDeps,
  config: WorkerConfig,
): (files: StoredFile[]) => Promise<void> {
  const record = createProcessingActivities(deps);
  const activities = {
    ...createImageActivities(deps),
    ...createOcrActivities(deps),
    ...createVisionActivities(deps),
    ...createSimilarityActivities(deps),
  };
  const slots: Record<StepActivity, ReturnType<typeof limitTo>> = {
    renderVariants: limitTo(config.CPU_SLOTS),
    readText: limitTo(deps.ocrSlots),
    describeImage: limitTo(config.VISION_SLOTS),
    indexImage: limitTo(deps.indexSlots),
  };
  const flight = limitTo(FILES_IN_FLIGHT);

  async function processOne(file: StoredFile): Promise<void> {
    const { id: fileId, tenantId, mediaType, generation, components } = file;
    const target = { fileId, tenantId, generation };
    const run = new FileRun({ ...target, mediaType, components, priority: 'bulk' });
    const runId = randomUUID();
    const workflowExecution = { workflowId: fileWorkflowId(fileId), runId };
    const env = new MockActivityEnvironment({ workflowExecution, startToCloseTimeoutMs: 600_000 });
    const within = <T>(work: () => Promise<T>) => env.run<[], T, () => Promise<T>>(work);
    const startedAt = now();

    let [next] = outstanding(run);
    if (next) run.scheduled(next, now());
    const { seq } = await within(() => record.beginFileWork(run.first()));
    if (seq === undefined) throw new Error('a file of the loop was not ready for processing');
    run.begin(seq);
    while (next) {
      for (const { activity } of stepsOf(mediaType, next)) {
        await slots[activity](() => within(() => activities[activity](target)));
      }
      run.completed(next, now());
      [next] = outstanding(run);
      if (!next) break;
      run.scheduled(next, now());
      await within(() => record.projectFile(run.project()));
    }
    // Not the activity: it reads the timeline of the run from the engine, which has none here.
    const story = { generation, runId, startedAt, endedAt: now(), outcome: 'completed' as const, steps: [] };
    await endFileRun(deps.orm.em.fork(), { ...run.project(), mediaType }, story);
  }

  return async (files) => {
    await Promise.all(files.map((file) => flight(() => processOne(file))));
  };
}
