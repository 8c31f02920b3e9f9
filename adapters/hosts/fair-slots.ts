/** A fixed number of slots, shared fairly between tenants. */
export interface FairSlots {
  /**
   * Waits for a slot.
   *
   * @returns a function that releases it
   * @throws the reason of an abort
   */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
}

/** How long a tenant's share is kept after its last work: the next step of its file usually follows at once. */
const KEPT_MS = 3_000;

interface Tenant {
  running: number;
  /** When it last got a slot, counted in slots. */
  servedAt: number;
  waiting: (() => void)[];
  /** Removes the tenant after an idle time. */
  leaving?: NodeJS.Timeout | undefined;
}

/**
 * Slots go to the tenant that holds the fewest, among equals to the one served longest ago. A share is the number of
 * slots divided by the tenants with work. A tenant that holds its share leaves the last free slot to the others, so
 * that short work never waits for another tenant's long work.
 *
 * @param reserved slots that one tenant never gets, even alone, so that the next tenant's work can start at once
 */
export function createFairSlots(count: number, reserved = 0): FairSlots {
  let free = count;
  let served = 0;
  /** Tenants with current or recent work. */
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
