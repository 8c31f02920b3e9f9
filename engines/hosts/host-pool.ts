import { withKeptSlots } from '../../domain/kept-slots.ts';
import { createFairSlots } from './fair-slots.ts';

/** A child process or thread of a pool. */
export interface PooledHost {
  /** Whether it is alive and within its limits. */
  isFit(): boolean;
  /** Whether it is only for work that prefers it. */
  hasLowPriority?(): boolean;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
}

/** Hosts that each do one task at a time. */
export interface HostPool<Member extends PooledHost> {
  /**
   * Waits for a slot, shared fairly between tenants, then calls `use` with a fit host.
   *
   * @param signal aborts the wait; the signal passed to `use` is also aborted when the pool closes
   * @param prefers the idle hosts to choose from first
   * @throws the reason of an abort or of the close, and errors of `use`
   */
  run<T>(
    tenantId: string,
    signal: AbortSignal | undefined,
    use: (host: Member, signal: AbortSignal) => Promise<T>,
    prefers?: (host: Member) => boolean,
  ): Promise<T>;
  /** Rejects waiting and running work with the reason; resolves when all hosts have ended. Idempotent. */
  close(reason: Error): Promise<void>;
}

export interface PoolSlots {
  /** Hosts of one tenant at a time; there are a third more, at least one, that work of others alone can start. */
  slots: number;
}

/** Hosts start on demand and are reused; one that has died or reached a limit is replaced. */
export function createHostPool<Member extends PooledHost>(
  { slots }: PoolSlots,
  start: () => Member,
): HostPool<Member> {
  const fairSlots = createFairSlots(withKeptSlots(slots));
  const members = new Set<Member>();
  const idle: Member[] = [];
  const stop = new AbortController();

  function acquire(prefers: (host: Member) => boolean): Member {
    for (;;) {
      const preferred = idle.findLastIndex(prefers);
      const [host] = idle.splice(preferred, 1);
      if (!host) break;
      if (host.isFit() && (preferred >= 0 || !host.hasLowPriority?.())) return host;
      members.delete(host);
      void host.kill();
    }
    const fresh = start();
    members.add(fresh);
    return fresh;
  }

  async function release(host: Member): Promise<void> {
    if (host.isFit()) {
      idle.push(host);
      return;
    }
    await host.kill();
    members.delete(host);
  }

  return {
    async run(tenantId, signal, use, prefers = () => false) {
      const aborted = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal;
      const releaseSlot = await fairSlots.acquire(tenantId, aborted);
      try {
        const host = acquire(prefers);
        try {
          return await use(host, aborted);
        } finally {
          await release(host);
        }
      } finally {
        releaseSlot();
      }
    },
    async close(reason) {
      stop.abort(reason);
      await Promise.all([...members].map((host) => host.kill()));
    },
  };
}
