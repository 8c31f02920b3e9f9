import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { WorkerDeps } from '../../worker/deps.ts';
import type { WorkerSettings } from '../../worker/settings.ts';
import { QUEUE_NAMES, queueOptions } from '../../worker/queues.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

/**
 * Runs the workers of every queue in this process, as the worker processes run them.
 *
 * @param more additional activities, by the task queue whose worker registers them
 * @returns a function that stops them
 */
export async function runWorkers(
  config: WorkerSettings,
  deps: WorkerDeps,
  more: Readonly<Record<string, object>> = {},
): Promise<() => Promise<void>> {
  // Installed once per process; another part of the benchmark may have done so.
  if (Runtime._instance === undefined) Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS });
  const workflowBundle = { codePath: await ensureWorkflowBundle() };
  const workers = await Promise.all(
    QUEUE_NAMES.flatMap((name) => queueOptions(name, deps, config).map((options) => ({ name, options }))).map(
      ({ name, options }) =>
        Worker.create({
          connection,
          namespace: config.TEMPORAL_NAMESPACE,
          ...options,
          activities: { ...options.activities, ...more[options.taskQueue] },
          ...(name === 'workflows' && { workflowBundle }),
          maxHeartbeatThrottleInterval: '1 s',
        }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };
}
