/** A fixed number of slots, shared fairly between tenants. */
export interface FairSlots {
  /**
   * Waits for a slot.
   *
   * @returns a function that gives it back
   * @throws the reason of an abort
   */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
}

/** How long the share of a tenant is kept after its last work: the next step of its file comes within moments. */
const KEPT_MS = 3_000;

interface Tenant {
  running: number;
  /** When it was last given a slot, counted in slots. */
  servedAt: number;
  waiting: (() => void)[];
  /** Ends its membership, once it has had nothing for a while. */
  leaving?: NodeJS.Timeout | undefined;
}

/**
 * Slots go to the tenant that holds the fewest, of equal ones to the one served longest ago. A tenant that holds its share, which is that part of
 * the slots that falls to each tenant with work, leaves the last free slot to the others: whoever sends short work never
 * waits for long work of another tenant to end.
 *
 * @param reserved slots that one tenant never gets, even alone: however long its work takes, the next tenant's begins
 */
export function createFairSlots(count: number, reserved = 0): FairSlots {
  let free = count;
  let served = 0;
  /** Those with work, and those that had some a moment ago. */
  const tenants = new Map<string, Tenant>();

  function enter(id: string): Tenant {
    const tenant = tenants.get(id) ?? { running: 0, servedAt: 0, waiting: [] };
    clearTimeout(tenant.leaving);
    tenant.leaving = undefined;
    tenants.set(id, tenant);
    return tenant;
  }

  function leaveLater(id: string, tenant: Tenant): void {
    if (tenant.running > 0 || tenant.waiting.length > 0 || tenant.leaving) return;
    tenant.leaving = setTimeout(() => {
      tenants.delete(id);
      grant();
    }, KEPT_MS).unref();
  }

  function grant(): void {
    while (free > 0) {
      const [next] = [...tenants.values()]
        .filter(({ waiting, running }) => waiting.length > 0 && running < count - reserved)
        .toSorted((a, b) => a.running - b.running || a.servedAt - b.servedAt);
      if (!next) return;
      const share = Math.ceil(count / tenants.size);
      if (next.running >= share && tenants.size > 1 && free === 1) return;
      free -= 1;
      next.running += 1;
      next.servedAt = served += 1;
      next.waiting.shift()?.();
    }
  }

  function release(id: string, tenant: Tenant): void {
    free += 1;
    tenant.running -= 1;
    leaveLater(id, tenant);
    grant();
  }

  return {
    async acquire(id, signal) {
      signal.throwIfAborted();
      const tenant = enter(id);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        tenant.waiting.splice(tenant.waiting.indexOf(begin), 1);
        leaveLater(id, tenant);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      tenant.waiting.push(begin);
      grant();
      await promise;
      return () => release(id, tenant);
    },
  };
}
