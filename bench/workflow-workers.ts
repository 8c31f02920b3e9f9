import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import {
  createProcessingActivities,
  type ProcessingDeps,
} from '../activities/processing/processing-activities.ts';
import { QUEUES, visionQueue } from '../temporal/contract/queues.ts';
import { ocrConfig } from '../adapters/models/ocr/config.ts';
import { workerConfig } from '../worker/config.ts';
import { ensureWorkflowBundle } from '../worker/workflow-bundle.ts';
import { BARE_QUEUES, type BareActivities } from './bare-workflow.ts';

/** Separate from the usual queue, where other parts may have left workflows. */
export const FILE_WORKFLOWS_QUEUE = 'bench-workflows';

const BARE_WORKFLOW = fileURLToPath(new URL('./bare-workflow.ts', import.meta.url));
/** Concurrent tasks of each kind per worker process. */
const SLOTS = workerConfig.parse({});
const { OCR_SLOTS } = ocrConfig.parse({});
/** The concurrency of a worker. */
const INDEX_SLOTS = 8;

/**
 * Runs, in this process, the workers of `processFile` and those of the bare workflow, with the same settings for each
 * queue. `processFile` writes to Postgres; all other activities are empty.
 *
 * @returns a function that stops them
 */
export async function runWorkflowWorkers(
  address: string,
  deps: Omit<ProcessingDeps, 'visionProvider'>,
): Promise<() => Promise<void>> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  const nothing = async () => undefined;
  const record = createProcessingActivities({ ...deps, visionProvider: 'bench' });
  const bare: BareActivities = {
    note: nothing,
    render: nothing,
    read: nothing,
    describe: nothing,
    index: nothing,
  };
  const cpu: Pick<Activities, 'renderVariants'> = { renderVariants: nothing };
  const ocr: Pick<Activities, 'readText'> = { readText: nothing };
  const vision: Pick<Activities, 'describeImage'> = { describeImage: nothing };
  const index: Pick<Activities, 'indexImage'> = { indexImage: nothing };

  const workers = await Promise.all([
    workflows(FILE_WORKFLOWS_QUEUE, { workflowBundle: { codePath: await ensureWorkflowBundle() } }, record),
    workflows(BARE_QUEUES.workflows, { workflowsPath: BARE_WORKFLOW }, bare),
    activities(QUEUES.cpu, SLOTS.CPU_SLOTS, cpu),
    activities(BARE_QUEUES.cpu, SLOTS.CPU_SLOTS, bare),
    activities(QUEUES.ocr, OCR_SLOTS, ocr),
    activities(BARE_QUEUES.ocr, OCR_SLOTS, bare),
    activities(visionQueue('bench'), SLOTS.VISION_SLOTS, vision),
    activities(BARE_QUEUES.vision, SLOTS.VISION_SLOTS, bare),
    activities(QUEUES.index, INDEX_SLOTS, index),
    activities(BARE_QUEUES.index, INDEX_SLOTS, bare),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };

  function workflows(
    taskQueue: string,
    code: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>,
    local: object,
  ): Promise<Worker> {
    return create({
      taskQueue,
      ...code,
      activities: local,
      maxConcurrentLocalActivityExecutions: SLOTS.IO_SLOTS,
    });
  }

  function activities(taskQueue: string, slots: number, ordinary: object): Promise<Worker> {
    return create({ taskQueue, activities: ordinary, maxConcurrentActivityTaskExecutions: slots });
  }

  function create(options: WorkerOptions): Promise<Worker> {
    return Worker.create({ connection, ...options });
  }
}
