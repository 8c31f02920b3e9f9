/** Task queues by class of work; see "Processes and queues" in the architecture. */
export const QUEUES = {
  workflows: 'workflows',
  io: 'io',
  /** Images, and results that take a processor to make. */
  cpu: 'cpu',
  /** Reading documents, which may take many times as long as an image. */
  documents: 'documents',
  /** Videos, which take minutes: no image waits behind one. */
  video: 'video',
  ocr: 'ocr',
  index: 'index',
  /** Foreign sites, which may be slow: nothing else waits behind them. */
  web: 'web',
  /** Files of imports: one activity of minutes for each import. */
  imports: 'imports',
  /** Receivers of webhooks, which may also be slow. */
  webhooks: 'webhooks',
} as const;

/** The queue of a provider's model calls; its rate limit is applied to the queue. */
export function visionQueue(provider: string): string {
  return `vision-${provider}`;
}

/** Lower values run first. Fairness between tenants applies within one priority. */
export const PRIORITIES = { interactive: 1, normal: 3, bulk: 5 } as const;
export type PriorityName = keyof typeof PRIORITIES;

/** Priority of a task, and fairness between tenants; without a tenant there is no fairness key. */
export interface TaskPriority {
  priorityKey: number;
  fairnessKey?: string;
}

export function taskPriority(priority: PriorityName, tenantId?: string): TaskPriority {
  return { priorityKey: PRIORITIES[priority], ...(tenantId !== undefined && { fairnessKey: tenantId }) };
}
