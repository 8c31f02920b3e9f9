import { createFairSlots } from './fair-slots.ts';

/** A child process of a pool. */
export interface PooledChild {
  /** Alive, and within its limits. */
  isFit(): boolean;
  /** Only for work that prefers it. */
  hasLowPriority(): boolean;
  /** Resolves when the process has exited. */
  kill(): Promise<void>;
}

/** Child processes that each do one task at a time. */
export interface ChildPool<Child extends PooledChild> {
  /**
   * Waits for a slot, of which each tenant gets its share, then calls `use` with a fit child.
   *
   * @param signal aborts the wait; what `use` gets is also aborted when the pool closes
   * @param prefers of several idle children, one of these
   * @throws the reason of an abort or of the close, and what `use` throws
   */
  run<T>(
    tenantId: string,
    signal: AbortSignal | undefined,
    use: (child: Child, signal: AbortSignal) => Promise<T>,
    prefers?: (child: Child) => boolean,
  ): Promise<T>;
  /** Rejects waiting and running work with the reason; resolves when all children have exited. Idempotent. */
  close(reason: Error): Promise<void>;
}

/**
 * Children start on demand and are reused; one that has died or reached a limit is replaced.
 *
 * @param slots children at the same time
 */
export function createChildPool<Child extends PooledChild>(
  slots: number,
  start: () => Child,
): ChildPool<Child> {
  const fairSlots = createFairSlots(slots);
  const children = new Set<Child>();
  const idle: Child[] = [];
  const stop = new AbortController();

  function acquire(prefers: (child: Child) => boolean): Child {
    for (;;) {
      const preferred = idle.findLastIndex(prefers);
      const [child] = idle.splice(preferred, 1);
      if (!child) break;
      if (child.isFit() && (preferred >= 0 || !child.hasLowPriority())) return child;
      children.delete(child);
      void child.kill();
    }
    const fresh = start();
    children.add(fresh);
    return fresh;
  }

  async function release(child: Child): Promise<void> {
    if (child.isFit()) {
      idle.push(child);
      return;
    }
    await child.kill();
    children.delete(child);
  }

  return {
    async run(tenantId, signal, use, prefers = () => false) {
      const aborted = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal;
      const releaseSlot = await fairSlots.acquire(tenantId, aborted);
      try {
        const child = acquire(prefers);
        try {
          return await use(child, aborted);
        } finally {
          await release(child);
        }
      } finally {
        releaseSlot();
      }
    },
    async close(reason) {
      stop.abort(reason);
      await Promise.all([...children].map((child) => child.kill()));
    },
  };
}
