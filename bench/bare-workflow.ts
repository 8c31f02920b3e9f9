import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { cpuBound, localWrite, vision } from '../workflows/activity-options.ts';

/** What one would write by hand: the same activities in the same order, and nothing else. They do nothing. */
export interface BareActivities {
  note(): Promise<void>;
  render(): Promise<void>;
  describe(): Promise<void>;
}

export const BARE_QUEUES = {
  workflows: 'bench-bare-workflows',
  cpu: 'bench-bare-cpu',
  vision: 'bench-bare-vision',
} as const;

const { note } = proxyLocalActivities<BareActivities>(localWrite);
const { render } = proxyActivities<BareActivities>({ ...cpuBound, taskQueue: BARE_QUEUES.cpu });
const { describe } = proxyActivities<BareActivities>({ ...vision, taskQueue: BARE_QUEUES.vision });

/** @param notes whether there is a local activity before, between and after the two ordinary ones */
export async function bareWorkflow(notes: boolean): Promise<void> {
  if (notes) await note();
  await render();
  if (notes) await note();
  await describe();
  if (notes) await note();
}
