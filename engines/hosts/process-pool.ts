import { startProcess, type ProcessOptions } from './host.ts';
import { createHostPool, type HostPool, type PoolSlots } from './host-pool.ts';
import { createTaskHost, type TaskHost, type TaskLimits } from './task-host.ts';

export type ProcessPool<Request, Reply> = HostPool<TaskHost<Request, Reply>>;

export type ProcessPoolOptions = PoolSlots & ProcessOptions & TaskLimits;

/** A pool of child processes of one module, each of which does one task at a time. */
export function createProcessPool<Request extends object, Reply>({
  slots,
  maxBytes = Infinity,
  maxTasks = Infinity,
  idleBytes,
  ...process
}: ProcessPoolOptions): ProcessPool<Request, Reply> {
  const limits = { maxBytes, maxTasks, idleBytes };
  return createHostPool({ slots }, () => createTaskHost(startProcess(process), limits));
}
