import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './client.ts';
import { SEND_ACCOUNT_MAIL, type AccountMail } from './contract/account-mail.ts';
import { QUEUES } from './contract/queues.ts';
import { workflowOptions, type Workflow } from './contract/workflow.ts';
import { START_DEADLINE_MS } from './deadlines.ts';

const NEVER_AGAIN = {
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
} as const;
const WHEN_CLOSED = { workflowIdConflictPolicy: 'FAIL', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
const JOINED = {
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowIdReusePolicy: 'ALLOW_DUPLICATE',
} as const;

/** A run closes its row shortly before it closes itself; a retry in between waits for the run to close. */
const PREDECESSOR = { tries: 6, pauseMs: 150 };

export interface StartOptions {
  /** One line for operators, to which the name of the file is added. */
  summary?: string;
  /** Signal without arguments, delivered with the start, or to the run that is open. */
  signal?: string | undefined;
  deadlineMs?: number;
}

/**
 * Starts a workflow under the id that its input gives it. Idempotent, also from several processes at once: see its
 * `reuse`.
 *
 * @returns false when its id is in use, so that nothing was started: its workflow has ended for good, or the run before has
 *   not closed yet
 * @throws EngineUnavailable
 */
export async function startWorkflow<Input extends object>(
  engine: Engine,
  workflow: Workflow<Input>,
  input: NoInfer<Input>,
  { summary, signal, deadlineMs = START_DEADLINE_MS }: StartOptions = {},
): Promise<boolean> {
  const { memo, ...rest } = workflowOptions<Input>(workflow, input, summary);
  const options = { ...rest, ...(memo && { memo }), taskQueue: QUEUES.workflows };
  const start = (
    policies: Pick<WorkflowStartOptions, 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'>,
  ) =>
    unlessStarted(() =>
      engine.within(deadlineMs, async (client): Promise<unknown> =>
        signal === undefined
          ? client.workflow.start(workflow.type, { ...options, ...policies })
          : client.workflow.signalWithStart(workflow.type, { ...options, ...policies, signal }),
      ),
    );
  switch (workflow.reuse) {
    case 'never':
      return start(NEVER_AGAIN);
    case 'joined':
      return start(JOINED);
    case 'when_closed':
      return start(WHEN_CLOSED);
    case 'by_generation':
      // A concurrent second caller finds it started.
      if (memo?.generation === 1) return start(NEVER_AGAIN).then(() => true);
      // A second run of one generation, by a caller that lost a race, finds its row taken and changes nothing.
      for (let attempt = 1; attempt < PREDECESSOR.tries; attempt += 1) {
        if (await start(WHEN_CLOSED)) return true;
        await delay(PREDECESSOR.pauseMs);
      }
      return start(WHEN_CLOSED);
  }
}

/**
 * Starts the workflow that sends an email about an account, which outlasts an outage of the mail server.
 *
 * @throws EngineUnavailable
 */
export async function startAccountMail(engine: Engine, mail: AccountMail): Promise<void> {
  await startWorkflow(engine, SEND_ACCOUNT_MAIL, { ...mail, mailId: randomUUID() });
}

/**
 * Cancels a workflow. One that has ended, or was never started, is left alone.
 *
 * @throws EngineUnavailable
 */
export async function cancelWorkflow(engine: Engine, workflowId: string): Promise<void> {
  try {
    await engine.within(START_DEADLINE_MS, ({ workflow }) => workflow.getHandle(workflowId).cancel());
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** @returns false when the id is already in use */
async function unlessStarted(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
