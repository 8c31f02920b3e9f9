import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../client.ts';
import { QUEUES } from '../contract/queues.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';

/** A run closes its row shortly before it closes itself; a retry in between waits for the run to close. */
const PREDECESSOR = { tries: 6, pauseMs: 150 };

type StartOptions = Omit<
  WorkflowStartOptions,
  'taskQueue' | 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'
>;

/**
 * Starts the run of one generation of a file or an upload session. Idempotent, also from several processes at once: an
 * id is used once by a first generation, and again by each retry.
 *
 * @param generation of a retry that the engine was just found not to have. A second run of it, by a caller that lost a
 *   race, finds its row taken and changes nothing.
 * @returns false while the run of the previous generation has not closed
 * @throws EngineUnavailable
 */
export async function startGeneration(
  engine: Engine,
  workflowType: string,
  options: StartOptions,
  generation: number,
): Promise<boolean> {
  if (generation === 1) {
    await startOnce(engine, workflowType, options);
    return true;
  }
  for (let attempt = 1; ; attempt += 1) {
    const started = await startNext(engine, workflowType, options);
    if (started || attempt === PREDECESSOR.tries) return started;
    await delay(PREDECESSOR.pauseMs);
  }
}

/** An id that was ever used is refused, even if its run has ended: a concurrent second caller finds it started. */
async function startOnce(engine: Engine, workflowType: string, options: StartOptions): Promise<void> {
  await unlessStarted(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(workflowType, {
        ...options,
        taskQueue: QUEUES.workflows,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    ),
  );
}

function startNext(engine: Engine, workflowType: string, options: StartOptions): Promise<boolean> {
  return unlessStarted(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(workflowType, {
        ...options,
        taskQueue: QUEUES.workflows,
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      }),
    ),
  );
}

/** @returns false when the id is already in use */
export async function unlessStarted(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
