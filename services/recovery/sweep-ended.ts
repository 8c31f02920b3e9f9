import { ReconcilerCursor } from '../../db/entities/recovery/reconciler-cursor.ts';
import type { Engine } from '../../temporal/client.ts';
import { LIST_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { add, NOTHING, reconcileEach, type Reconciled } from './reconcile-each.ts';
import { RECONCILE_TARGETS, type RecoveryDeps, type ReconcileTarget } from './reconcile-targets.ts';

const CURSOR_ID = 1;
/** Visibility may lag slightly behind the close of a run; rows already reconciled cost one query. */
const OVERLAP_MS = 60_000;
/**
 * Reconciles the rows of runs that were terminated, timed out, cancelled or failed since the last sweep, so that the
 * outcome reaches users even with no worker running. One process sweeps at a time; for the others it is a no-op.
 *
 * @throws when engine or database are unavailable; the next sweep resumes from the last successful one
 */
export async function sweepEnded(deps: RecoveryDeps): Promise<Reconciled> {
  return deps.em.transactional(async (tx) => {
    const [lock] = await tx.execute<{ acquired: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('reconciler', 0)) as acquired`,
    );
    if (!lock?.acquired) return NOTHING;
    const cursor = await tx.findOne(ReconcilerCursor, CURSOR_ID);
    const startedAt = new Date();
    const since = new Date(Math.max(0, (cursor?.closedUntil.getTime() ?? 0) - OVERLAP_MS));
    let all = NOTHING;
    for (const kind of RECONCILE_TARGETS) {
      const ended = await listEnded(deps.engine, kind, since);
      const open = ended.length > 0 ? await kind.findOpen(deps.em.fork(), ended) : [];
      all = add(all, await reconcileEach(deps, kind, open));
    }
    await tx.upsert(ReconcilerCursor, { id: CURSOR_ID, closedUntil: startedAt });
    return all;
  });
}

/** The ids behind runs that closed without completing. */
async function listEnded(
  engine: Engine,
  { workflowType, parse }: ReconcileTarget,
  since: Date,
): Promise<string[]> {
  const query =
    `WorkflowType = '${workflowType}' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') ` +
    `AND CloseTime > '${since.toISOString()}'`;
  return engine.within(LIST_DEADLINE_MS, async (client) => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query })) {
      const id = parse(workflowId);
      if (id) ids.add(id);
    }
    return [...ids];
  });
}
