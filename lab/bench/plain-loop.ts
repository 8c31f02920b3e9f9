import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createImageActivities } from '../../activities/image-activities.ts';
import { createProcessingActivities } from '../../activities/processing-activities.ts';
import { createSemaphore } from '../../adapters/semaphore.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { outstanding } from '../../domain/components.ts';
import { FILES_IN_FLIGHT } from '../../temporal/contract/upload-session.ts';
import type { WorkerConfig } from '../../worker/config.ts';
import type { WorkerDeps } from '../../worker/deps.ts';
import { cpuSlots } from '../../worker/queues.ts';
import { FileRun } from '../../workflows/process-file/file-run.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

const now = () => new Date().toISOString();

/**
 * An implementation without an engine: a loop that calls the activity functions of `processFile` in the same order,
 * with the concurrency of the workers, and writes the same rows. It lacks the benefits of the engine: durability,
 * visibility, pauses and retries. Its files must be ones that the fast path completes.
 */
export function createPlainLoop(
  deps: WorkerDeps,
  config: WorkerConfig,
): (files: StoredFile[]) => Promise<void> {
  const record = createProcessingActivities(deps);
  const { makeImage } = createImageActivities({ ...deps, vision: deps.models.local });
  const slots = limitTo(cpuSlots(config));
  const flight = limitTo(FILES_IN_FLIGHT);

  async function processOne(file: StoredFile): Promise<void> {
    const { id: fileId, tenantId, mediaType, generation, components } = file;
    const target = { fileId, tenantId, generation };
    const run = new FileRun({ ...target, mediaType, components, priority: 'bulk' });
    const workflowExecution = { workflowId: FILE_WORKFLOWS.of(fileId), runId: randomUUID() };
    const env = new MockActivityEnvironment({ workflowExecution, startToCloseTimeoutMs: 600_000 });
    const within = <T>(work: () => Promise<T>) => env.run<[], T, () => Promise<T>>(work);
    const runStartedAt = now();

    const [first] = outstanding(run);
    if (first) run.scheduled(first, runStartedAt);
    const { seq, visionProvider } = await within(() => record.beginFileWork(run.first()));
    if (seq === undefined) throw new Error('a file of the loop was not ready for processing');
    await slots(() => within(() => makeImage({ ...target, seq, visionProvider, runStartedAt })));
  }

  return async (files) => {
    await Promise.all(files.map((file) => flight(() => processOne(file))));
  };
}

/** A semaphore: runs at most `count` calls at a time; the others wait in order. */
function limitTo(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const slots = createSemaphore(count);
  const { signal } = new AbortController();
  return async (work) => {
    await slots.acquire(signal);
    try {
      return await work();
    } finally {
      slots.release();
    }
  };
}
