import {
  condition,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import { FILES_IN_FLIGHT } from '../../temporal/contract/upload-session.ts';
import { cpuBound, localWrite } from '../../workflows/activity-options.ts';
import type { BareActivities } from './bare-workflow.ts';

/** The task queue of these workflows and their activity. */
export const FLOOR_QUEUE = 'bench-floor';

const { note } = proxyLocalActivities<BareActivities>(localWrite);
const { render } = proxyActivities<BareActivities>({ ...cpuBound, taskQueue: FLOOR_QUEUE });

/** The minimum for a durable file: a child workflow with one local and one ordinary activity, both empty. */
export async function bareFile(): Promise<void> {
  await note();
  await render();
}

/** Runs `bareFile` `count` times, with the concurrency of an upload session. */
export async function bareSession(id: string, count: number): Promise<void> {
  let running = 0;
  const ended: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    await condition(() => running < FILES_IN_FLIGHT);
    running += 1;
    const child = executeChild(bareFile, {
      workflowId: `${id}/${index}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    ended.push(child.then(() => void (running -= 1)));
  }
  await Promise.all(ended);
}
