import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { createProcessingActivities, type ProcessingDeps } from '../../activities/processing-activities.ts';
import { createLocalVision } from '../../adapters/models/vision/local-vision.ts';
import { createTextWork } from '../../engines/text-work/text-work.ts';
import { componentsOf } from '../../domain/pipelines/index.ts';
import { recordFastPath } from '../../services/processing/fast-path.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { workerConfig } from '../../worker/config.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { registerMedia } from '../../services/all-media.ts';
import { BARE_QUEUES, type BareActivities } from './bare-workflow.ts';

/** Separate from the usual queue, where other parts of the benchmark may have left workflows. */
export const FILE_WORKFLOWS_QUEUE = 'bench-workflows';

const BARE_WORKFLOW = fileURLToPath(new URL('./bare-workflow.ts', import.meta.url));
/** Concurrent tasks of each kind per worker process. */
const SLOTS = workerConfig.parse({});

/**
 * Runs the workers of `processFile` and of the bare workflow in this process, with the same settings for each
 * queue. `processFile` and its fast path write to Postgres; all other activities are empty.
 *
 * @returns a function that stops them
 */
export async function runWorkflowWorkers(
  address: string,
  deps: Omit<ProcessingDeps, 'models'>,
): Promise<() => Promise<void>> {
  registerMedia();
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  const nothing = async () => undefined;
  const local = createLocalVision(createTextWork({ slots: 1 }));
  const record = createProcessingActivities({ ...deps, models: { forTenant: () => local } });
  const bare: BareActivities = { note: nothing, render: nothing };
  const { orm } = deps;
  /** Records the file as the real `makeImage` does, without rendering anything. */
  const cpu: Pick<Activities, 'makeImage'> = {
    async makeImage(input) {
      const { runId = '' } = Context.current().info.workflowExecution ?? {};
      const at = new Date().toISOString();
      const target = { ...input, runId, scheduledAt: at };
      const steps = componentsOf('image').flatMap((component) => component.steps);
      const ended = steps.map(({ activity: step }) => ({ step, startedAt: at, endedAt: at }));
      await recordFastPath(orm.em.fork(), target, { ended }, []);
      return { ended };
    },
  };

  const workers = await Promise.all([
    workflows(FILE_WORKFLOWS_QUEUE, { workflowBundle: { codePath: await ensureWorkflowBundle() } }, record),
    workflows(BARE_QUEUES.workflows, { workflowsPath: BARE_WORKFLOW }, bare),
    activities(QUEUES.cpu, SLOTS.CPU_SLOTS, cpu),
    activities(BARE_QUEUES.cpu, SLOTS.CPU_SLOTS, bare),
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
