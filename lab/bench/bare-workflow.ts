import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { cpuBound, localWrite } from '../../workflows/activity-options.ts';

/** The activities of a minimal handwritten workflow for a file: as many as `processFile` has, with empty bodies. */
export interface BareActivities {
  note(): Promise<void>;
  render(): Promise<void>;
}

export const BARE_QUEUES = { workflows: 'bench-bare-workflows', cpu: 'bench-bare-cpu' } as const;

const { note } = proxyLocalActivities<BareActivities>(localWrite);
const { render } = proxyActivities<BareActivities>({ ...cpuBound, taskQueue: BARE_QUEUES.cpu });

/** @param notes whether to run the local activity at the start */
export async function bareWorkflow(notes: boolean): Promise<void> {
  if (notes) await note();
  await render();
}
