import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { cpuBound, indexing, localWrite, ocr, vision } from '../workflows/activity-options.ts';

/** What one would write by hand: the same activities in the same order, with empty bodies, and nothing else. */
export interface BareActivities {
  note(): Promise<void>;
  render(): Promise<void>;
  read(): Promise<void>;
  describe(): Promise<void>;
  index(): Promise<void>;
}

export const BARE_QUEUES = {
  workflows: 'bench-bare-workflows',
  cpu: 'bench-bare-cpu',
  ocr: 'bench-bare-ocr',
  vision: 'bench-bare-vision',
  index: 'bench-bare-index',
} as const;

const { note } = proxyLocalActivities<BareActivities>(localWrite);
const { render } = proxyActivities<BareActivities>({ ...cpuBound, taskQueue: BARE_QUEUES.cpu });
const { read } = proxyActivities<BareActivities>({ ...ocr, taskQueue: BARE_QUEUES.ocr });
const { describe } = proxyActivities<BareActivities>({ ...vision, taskQueue: BARE_QUEUES.vision });
const { index } = proxyActivities<BareActivities>({ ...indexing, taskQueue: BARE_QUEUES.index });

/** @param notes whether to run local activities: at the start, after the first ordinary one, and at the end */
export async function bareWorkflow(notes: boolean): Promise<void> {
  if (notes) await note();
  await render();
  if (notes) await note();
  await read();
  await describe();
  await index();
  if (notes) await note();
}
