import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../client.ts';
import { QUEUES } from '../contract/queues.ts';

/** A start may delay an answer by this much; after that the sweep brings the work to the engine. */
export const START_DEADLINE_MS = 1000;
/** A run closes its row a moment before it closes itself; a retry right after it waits for that. */
const PREDECESSOR = { tries: 6, pauseMs: 150 };

type StartOptions = Omit<
  WorkflowStartOptions,
  'taskQueue' | 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'
>;

/**
 * Brings one generation of a file or an upload session to the engine. Safe to repeat, from any number of processes at
 * once: an id is used once by a first generation, and again by each retry.
 *
 * @param newest generation of the newest run that the engine knows; asked for a retry alone
 * @returns false while the run of the generation before has not closed
 * @throws EngineUnavailable
 */
export async function startGeneration(
  engine: Engine,
  workflowType: string,
  options: StartOptions,
  generation: number,
  newest: () => Promise<number | undefined>,
): Promise<boolean> {
  if (generation === 1) {
    await startOnce(engine, workflowType, options);
    return true;
  }
  const known = await newest();
  if (known !== undefined && known >= generation) return true;
  for (let attempt = 1; ; attempt += 1) {
    const started = await startNext(engine, workflowType, options);
    if (started || attempt === PREDECESSOR.tries) return started;
    await delay(PREDECESSOR.pauseMs);
  }
}

/** The id is refused once it was used, even by a run that has ended: the second to come finds it started. */
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

/** @returns false when the id is taken */
export async function unlessStarted(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
