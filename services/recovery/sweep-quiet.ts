import { add, NOTHING, reconcileEach, type Reconciled } from './reconcile-each.ts';
import { SUSPECT_KINDS, type RecoveryDeps } from './suspects.ts';
import { seenOrThrow } from './sweep-due.ts';

/** A row that was written since is taken care of. */
const QUIET_MS = 10 * 60_000;
const PAGE = 200;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Reconciles rows that are open and quiet, for what nothing else comes back to: a workflow that was deleted, an engine
 * that lost its data, the end of a run that could not be written. Reads every such row, so it runs seldom.
 *
 * @param onProgress told after each page how many rows were looked at
 * @returns how many rows were looked at
 * @throws AggregateError of those that could not be reconciled, once all were tried
 */
export async function sweepQuiet(
  deps: RecoveryDeps,
  onProgress: (seen: number) => void,
  now = new Date(),
): Promise<number> {
  const quietSince = new Date(now.getTime() - QUIET_MS);
  let all: Reconciled = NOTHING;
  for (const kind of SUSPECT_KINDS) {
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
