import { outage } from '../shared/outage.ts';
import type { RecoveryDeps, ReconcileTarget } from './reconcile-targets.ts';

/** How many rows were checked and changed, and why others could not be reconciled. */
export interface Reconciled {
  seen: number;
  changed: number;
  failures: Error[];
}

export const NOTHING: Reconciled = { seen: 0, changed: 0, failures: [] };

/**
 * Reconciles rows one by one. A row that fails does not block the others.
 *
 * @throws an outage of a dependency, since all further rows would fail as well
 */
export async function reconcileEach(
  { em, engine }: RecoveryDeps,
  kind: ReconcileTarget,
  ids: readonly string[],
): Promise<Reconciled> {
  const failures: Error[] = [];
  let changed = 0;
  for (const id of ids) {
    try {
      if (await kind.reconcile({ em: em.fork(), engine }, id)) changed += 1;
    } catch (error) {
      if (outage(error)) throw error;
      failures.push(new Error(`${kind.noun} ${id} could not be reconciled`, { cause: error }));
    }
  }
  return { seen: ids.length, changed, failures };
}

export function add(a: Reconciled, b: Reconciled): Reconciled {
  return {
    seen: a.seen + b.seen,
    changed: a.changed + b.changed,
    failures: [...a.failures, ...b.failures],
  };
}
