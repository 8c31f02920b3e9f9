import { add, NOTHING, reconcileEach, type Reconciled } from './reconcile-each.ts';
import { RECONCILE_TARGETS, type RecoveryDeps } from './reconcile-targets.ts';
import { seenOrThrow } from './dispatch-pending.ts';

/** A row updated more recently is not checked. */
const QUIET_MS = 10 * 60_000;
const PAGE = 200;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Reconciles rows that are open and quiet, which catches what no other mechanism does: a deleted workflow, an engine
 * that lost its data, the end of a run that could not be recorded. Reads every such row, so it runs rarely.
 *
 * @param onProgress called after each page with the number of rows checked
 * @returns how many rows were checked
 * @throws AggregateError of the failures, after all rows were tried
 */
export async function reconcileStale(
  deps: RecoveryDeps,
  onProgress: (seen: number) => void,
  now = new Date(),
): Promise<number> {
  const quietSince = new Date(now.getTime() - QUIET_MS);
  let all: Reconciled = NOTHING;
  for (const kind of RECONCILE_TARGETS) {
    for (let after = BEFORE_ALL; ;) {
      const page = await kind.findQuiet(deps.em.fork(), quietSince, after, PAGE);
      all = add(all, await reconcileEach(deps, kind, page));
      onProgress(all.seen);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last;
    }
  }
  return seenOrThrow(all);
}
