import { TestWorkflowEnvironment } from '@temporalio/testing';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { findBinary } from '../../dev/servers/binaries.ts';
import { DYNAMIC_CONFIG } from '../../dev/servers/temporal.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

/** Finds the Temporal CLI of the stack, downloaded if necessary. */
function findTemporal(): Promise<string> {
  const { signal } = new AbortController();
  return findBinary('temporal', {
    env: process.env,
    signal,
    part: async (_title, work) => await work(),
  });
}

/** The activities of a test; all others must not be called. */
export type FakeActivities = Partial<Record<keyof Activities, (...args: never[]) => unknown>>;

export interface WorkflowEnv {
  env: TestWorkflowEnvironment;
  /**
   * Runs workers with these activities on every queue while `during` runs.
   *
   * @param slots concurrent activities by queue; the default for other queues
   */
  withWorkers<R>(
    activities: FakeActivities,
    during: () => Promise<R>,
    slots?: Record<string, number>,
  ): Promise<R>;
  close(): Promise<void>;
}

const ALL_QUEUES = [...Object.values(QUEUES), 'vision-test'];

/** @param entry path of the workflows, relative to this file */
export function bundleWorkflows(entry: string): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(entry, import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
}

/**
 * Starts a separate Temporal server for workflow tests, with the search attributes of the project.
 *
 * @param own a bundle to use instead of workflows/index.ts
 */
export async function startWorkflowEnv(own?: WorkflowBundle): Promise<WorkflowEnv> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = own ?? { codePath: await ensureWorkflowBundle() };
  const env = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: {
        type: 'existing-path',
        path: await findTemporal(),
      },
      searchAttributes: Object.values(SEARCH_ATTRIBUTES),
      log: { level: 'error', format: 'pretty' },
      extraArgs: DYNAMIC_CONFIG,
    },
  });
  return {
    env,
    async withWorkers(activities, during, slots = {}) {
      const workers = await Promise.all(
        ALL_QUEUES.map((taskQueue) =>
          Worker.create({
            connection: env.nativeConnection,
            taskQueue,
            activities: activities,
            ...(taskQueue === 'workflows' && { workflowBundle }),
            ...(slots[taskQueue] && { maxConcurrentActivityTaskExecutions: slots[taskQueue] }),
          }),
        ),
      );
      const running = workers.map((worker) => worker.run());
      try {
        return await during();
      } finally {
        for (const worker of workers) worker.shutdown();
        await Promise.all(running);
      }
    },
    close: () => env.teardown(),
  };
}
