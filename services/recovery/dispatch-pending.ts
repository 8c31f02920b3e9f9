import { add, NOTHING, reconcileEach, type Reconciled } from './reconcile-each.ts';
import { RECONCILE_TARGETS, type RecoveryDeps } from './reconcile-targets.ts';

const BATCH = 500;

/**
 * Reconciles rows that are due at the engine: the API died right after the commit, or the engine was down.
 *
 * @param graceSeconds younger ones are left to the request that wrote them
 * @returns how many were reconciled
 * @throws AggregateError of the failures, after all rows were tried
 */
export async function dispatchPending(deps: RecoveryDeps, graceSeconds: number): Promise<number> {
  const before = new Date(Date.now() - graceSeconds * 1000);
  let all: Reconciled = NOTHING;
  for (const kind of RECONCILE_TARGETS) {
    const due = await kind.findDue(deps.em.fork(), before, BATCH);
    all = add(all, await reconcileEach(deps, kind, due));
  }
  return seenOrThrow(all);
}

/** @throws AggregateError */
export function seenOrThrow({ seen, failures }: Reconciled): number {
  if (failures.length === 0) return seen;
  throw new AggregateError(failures, `${failures.length} rows could not be reconciled`);
}
