/** Who gets the next of some slots, in turn by tenant. */
export interface Turns {
  /** Resolves once it is the tenant's turn; rejects with the abort reason if the signal fires first. */
  take(tenantId: string, signal: AbortSignal): Promise<void>;
  /** Returns a slot that the tenant had. */
  give(tenantId: string): void;
}

interface Waiting {
  tenantId: string;
  enter: () => void;
}

/**
 * Slots go to the tenant that has the fewest, of equal ones to the one that was served longest ago, and within a tenant in
 * the order of its calls. One slot is always left to others: however long the work of one tenant takes, the next one begins.
 *
 * @param slots two or more
 */
export function createTurns(slots: number): Turns {
  const most = slots - 1;
  let free = slots;
  let served = 0;
  const waiting: Waiting[] = [];
  /** Of tenants that have a slot or wait for one. */
  const tenants = new Map<string, { held: number; servedAt: number }>();

  function stateOf(tenantId: string): { held: number; servedAt: number } {
    const known = tenants.get(tenantId) ?? { held: 0, servedAt: 0 };
    tenants.set(tenantId, known);
    return known;
  }

  function forget(tenantId: string): void {
    const waits = waiting.some((each) => each.tenantId === tenantId);
    if (!waits && tenants.get(tenantId)?.held === 0) tenants.delete(tenantId);
  }

  function serve(): void {
    while (free > 0) {
      let next: { at: number; held: number; servedAt: number } | undefined;
      for (const [at, { tenantId }] of waiting.entries()) {
        const { held, servedAt } = stateOf(tenantId);
        if (held >= most) continue;
        if (!next || held < next.held || (held === next.held && servedAt < next.servedAt))
          next = { at, held, servedAt };
      }
      const [chosen] = next ? waiting.splice(next.at, 1) : [];
      if (!chosen) return;
      const state = stateOf(chosen.tenantId);
      state.held += 1;
      state.servedAt = served += 1;
      free -= 1;
      chosen.enter();
    }
  }

  return {
    take(tenantId, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => {
        waiting.splice(waiting.indexOf(entry), 1);
        forget(tenantId);
        reject(signal.reason as Error);
      };
      const entry: Waiting = {
        tenantId,
        enter() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(entry);
      serve();
      return promise;
    },
    give(tenantId) {
      stateOf(tenantId).held -= 1;
      free += 1;
      forget(tenantId);
      serve();
    },
  };
}
