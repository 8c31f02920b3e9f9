import { activityInfo } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { findBinary } from '../../dev/servers/binaries.ts';
import { DYNAMIC_CONFIG } from '../../dev/servers/temporal.ts';
import { FILE_FAILED } from '../../temporal/contract/failures.ts';
import type { ProcessFileResult } from '../../temporal/contract/process-file.ts';
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
  /** The workers on every queue call these activities while `during` runs. */
  withWorkers<R>(activities: FakeActivities, during: () => Promise<R>): Promise<R>;
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

/** Test files that share a process share it. */
let runtime: Runtime | undefined;

/**
 * Starts a separate Temporal server for workflow tests, with the search attributes of the project and a worker on
 * every queue.
 *
 * @param options.bundle to use instead of workflows/index.ts
 * @param options.slots  concurrent activities by queue; the default for other queues
 */
export async function startWorkflowEnv(
  options: { bundle?: WorkflowBundle; slots?: Record<string, number> } = {},
): Promise<WorkflowEnv> {
  runtime ??= Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = options.bundle ?? { codePath: await ensureWorkflowBundle() };
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
  let current: FakeActivities = {};
  // The workers outlive a test, as new ones would compile the bundle again.
  const call = (...args: never[]): unknown => {
    const { activityType } = activityInfo();
    const activity = current[activityType as keyof Activities];
    if (activity) return activity(...args);
    throw ApplicationFailure.retryable(`${activityType} is not an activity of this test.`, 'NotFoundError');
  };
  const workers = await Promise.all(
    ALL_QUEUES.map((taskQueue) =>
      Worker.create({
        connection: env.nativeConnection,
        taskQueue,
        activities: { default: call },
        // A failed test may leave an activity that never ends.
        shutdownForceTime: '10s',
        ...(taskQueue === 'workflows' && { workflowBundle }),
        ...(options.slots?.[taskQueue] && {
          maxConcurrentActivityTaskExecutions: options.slots[taskQueue],
        }),
      }),
    ),
  );
  const running = workers.map((worker) => worker.run());
  return {
    env,
    async withWorkers(activities, during) {
      current = activities;
      try {
        return await during();
      } finally {
        current = {};
      }
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await Promise.allSettled(running);
      await env.teardown();
    },
  };
}

/** The result of a run of `processFile`; if its file has failed, the engine shows the run as failed, with the result as details. */
export async function resultOfFile(handle: { result(): Promise<unknown> }): Promise<ProcessFileResult> {
  try {
    return (await handle.result()) as ProcessFileResult;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== FILE_FAILED) throw error;
    return cause.details?.[0] as ProcessFileResult;
  }
}
