import { keptSlots } from '../../domain/kept-slots.ts';

/** A fixed number of slots, shared fairly between tenants. */
export interface FairSlots {
  /**
   * Takes a slot if the tenant may have one now.
   *
   * @returns a function that releases it
   */
  tryAcquire(tenantId: string): (() => void) | undefined;
  /**
   * Waits for a slot.
   *
   * @returns a function that releases it
   * @throws the reason of an abort
   */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
  /** Whether another tenant waits for a slot. */
  isAwaitedByOthers(tenantId: string): boolean;
}

interface Waiting {
  /** When the call came, in calls and grants. */
  since: number;
  begin: () => void;
}

interface Tenant {
  running: number;
  /** When it last got a slot, in calls and grants. */
  servedAt: number;
  waiting: Waiting[];
}

/**
 * Slots go to the tenant that holds the fewest, among equals to the one that has waited longest. A tenant that holds
 * slots leaves as many free, up to `kept`: it never has the last ones alone, and the very last goes to a tenant that
 * holds none. So short work need not wait until another tenant's long work ends.
 */
export function createFairSlots(count: number, kept = keptSlots(count)): FairSlots {
  let free = count;
  let time = 0;
  /** Tenants with work. */
  const tenants = new Map<string, Tenant>();

  function enter(id: string): Tenant {
    const tenant = tenants.get(id) ?? { running: 0, servedAt: 0, waiting: [] };
    tenants.set(id, tenant);
    return tenant;
  }

  function leaveIfIdle(id: string, { running, waiting }: Tenant): void {
    if (running === 0 && waiting.length === 0) tenants.delete(id);
  }

  const mayHaveAnother = ({ running }: Tenant): boolean => free > Math.min(running, kept);

  function take(id: string, tenant: Tenant): () => void {
    free -= 1;
    tenant.running += 1;
    tenant.servedAt = time += 1;
    return () => {
      free += 1;
      tenant.running -= 1;
      leaveIfIdle(id, tenant);
      grant();
    };
  }

  function grant(): void {
    for (;;) {
      const [next] = [...tenants.values()]
        .filter(({ waiting }) => waiting.length > 0)
        .toSorted((a, b) => a.running - b.running || waitsSince(a) - waitsSince(b));
      if (!next || !mayHaveAnother(next)) return;
      next.waiting.shift()?.begin();
    }
  }

  function tryAcquire(id: string): (() => void) | undefined {
    const tenant = enter(id);
    if (mayHaveAnother(tenant)) return take(id, tenant);
    leaveIfIdle(id, tenant);
    return undefined;
  }

  return {
    tryAcquire,
    async acquire(id, signal) {
      signal.throwIfAborted();
      const taken = tryAcquire(id);
      if (taken) return taken;
      const tenant = enter(id);
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const entry: Waiting = {
        since: (time += 1),
        begin() {
          signal.removeEventListener('abort', giveUp);
          resolve(take(id, tenant));
        },
      };
      const giveUp = (): void => {
        tenant.waiting.splice(tenant.waiting.indexOf(entry), 1);
        leaveIfIdle(id, tenant);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      tenant.waiting.push(entry);
      return promise;
    },
    isAwaitedByOthers: (id) =>
      [...tenants].some(([other, { waiting }]) => other !== id && waiting.length > 0),
  };
}

/** When the next call of a tenant came, or when the tenant last got a slot, whichever is later. */
function waitsSince({ waiting: [next], servedAt }: Tenant): number {
  return Math.max(next?.since ?? 0, servedAt);
}
