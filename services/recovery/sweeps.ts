import { ALL_WORK } from '../all-work.ts';
import type { ReconcileTarget, WorkDeps } from '../shared/define-work.ts';
import { ReconcilerCursor } from '../../db/entities/recovery/reconciler-cursor.ts';
import type { Engine } from '../../temporal/client.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { LIST_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { outage } from '../shared/outage.ts';
import { dispatchDeliveries } from '../webhooks/dispatch-deliveries.ts';
import { handOverDeliveries } from '../webhooks/reconcile-delivery.ts';

const BATCH = 500;

/**
 * Reconciles rows that are due at the engine: the API died right after the commit, or the engine was down.
 * Then dispatches pending webhook deliveries.
 *
 * @param graceSeconds more recent rows are left to the request that wrote them
 * @returns the number of reconciled rows
 * @throws AggregateError of the failures, after all rows were tried
 */
export async function dispatchPending(deps: WorkDeps, graceSeconds: number): Promise<number> {
  const before = new Date(Date.now() - graceSeconds * 1000);
  let all: Reconciled = NOTHING;
  for (const kind of ALL_WORK) {
    const due = await kind.findDue(deps.em.fork(), before, BATCH);
    all = add(all, await reconcileEach(deps, kind, due));
  }
  const dispatched = await dispatchDeliveries(deps.em.fork(), {
    deliver: (admitted) => handOverDeliveries({ em: deps.em.fork(), engine: deps.engine }, admitted),
    leaseSeconds: 0,
  });
  return seenOrThrow(all) + dispatched;
}

/** @throws AggregateError */
function seenOrThrow({ seen, failures }: Reconciled): number {
  if (failures.length === 0) return seen;
  throw new AggregateError(failures, `${failures.length} rows could not be reconciled`);
}

/** A row updated more recently is not checked. */
const QUIET_MS = 10 * 60_000;
const PAGE = 200;

/**
 * Reconciles rows that are open and quiet, which catches what no other mechanism does: a deleted workflow, an engine
 * that lost its data, the end of a run that could not be recorded. Reads every such row, so it runs rarely.
 *
 * @param onProgress called after each page with the number of rows checked
 * @returns the number of checked rows
 * @throws AggregateError of the failures, after all rows were tried
 */
export async function reconcileStale(
  deps: WorkDeps,
  onProgress: (seen: number) => void,
  now = new Date(),
): Promise<number> {
  const quietSince = new Date(now.getTime() - QUIET_MS);
  let all: Reconciled = NOTHING;
  for (const kind of ALL_WORK) {
    for await (const page of kind.findRunning(() => deps.em.fork(), { limit: PAGE, quietSince })) {
      all = add(all, await reconcileEach(deps, kind, page));
      onProgress(all.seen);
    }
  }
  return seenOrThrow(all);
}

const CURSOR_ID = 1;
/** Visibility may lag slightly behind the close of a run; rows already reconciled cost one query. */
const OVERLAP_MS = 60_000;
/** A cursor that lags makes a listing a little longer; moving it is a write, which a stack at rest would make all day. (709) */
const MOVED_EVERY_MS = 30_000;
/** Runs of one listing, and ids of one query. */
const ENDED_PAGE = 500;

/**
 * Reconciles the rows of runs that were terminated, timed out, cancelled or failed without recording it since the last sweep, so that the
 * outcome reaches users even with no worker running. One process sweeps at a time; for the others it is a no-op.
 *
 * @throws when engine or database are unavailable; the next sweep resumes from the last successful one
 */
export async function sweepEnded(deps: WorkDeps): Promise<Reconciled> {
  return deps.em.transactional(async (tx) => {
    const [lock] = await tx.execute<{ acquired: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('reconciler', 0)) as acquired`,
    );
    if (!lock?.acquired) return NOTHING;
    const cursor = await tx.findOne(ReconcilerCursor, CURSOR_ID);
    const startedAt = new Date();
    const closedUntil = cursor?.closedUntil.getTime() ?? 0;
    const since = new Date(Math.max(0, closedUntil - OVERLAP_MS));
    let all = NOTHING;
    // One question instead of one for each kind of work: most sweeps find nothing.
    const kinds = (await haveEnded(deps.engine, ALL_WORK, since)) ? ALL_WORK : [];
    for (const kind of kinds) {
      for await (const ended of listEnded(deps.engine, kind, since)) {
        const open = ended.length > 0 ? await kind.findOpen(deps.em.fork(), ended) : [];
        all = add(all, await reconcileEach(deps, kind, open));
      }
    }
    // Also back, where a clock was ahead.
    if (Math.abs(startedAt.getTime() - closedUntil) >= MOVED_EVERY_MS)
      await tx.upsert(ReconcilerCursor, { id: CURSOR_ID, closedUntil: startedAt });
    return all;
  });
}

/** Whether any run of these kinds closed without completing and without recording its failure. */
export async function haveEnded(
  engine: Engine,
  kinds: readonly ReconcileTarget[],
  since: Date,
): Promise<boolean> {
  const { executions } = await pageOfEnded(engine, kinds, since, { pageSize: 1 });
  return executions.length > 0;
}

/**
 * Pages of the ids behind runs that closed without completing, except those that have recorded their failure: after an import
 * of broken files these are thousands. Each page has its own deadline, so that a long listing ends.
 */
export async function* listEnded(
  engine: Engine,
  kind: ReconcileTarget,
  since: Date,
  pageSize = ENDED_PAGE,
): AsyncGenerator<string[]> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await pageOfEnded(engine, [kind], since, { pageSize, nextPageToken });
    const ids = page.executions.map(({ execution }) => kind.workflow.parse(execution?.workflowId ?? ''));
    yield [...new Set(ids.filter((id) => id !== undefined))];
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
}

function pageOfEnded(
  engine: Engine,
  kinds: readonly ReconcileTarget[],
  since: Date,
  page: { pageSize: number; nextPageToken?: Uint8Array },
) {
  const types = kinds.map(({ workflow }) => `'${workflow.type}'`).join(', ');
  const status = SEARCH_ATTRIBUTES.unifiedStatus.name;
  const query =
    `WorkflowType IN (${types}) AND CloseTime > '${since.toISOString()}' ` +
    `AND (ExecutionStatus IN ('Terminated', 'TimedOut', 'Canceled') ` +
    `OR (ExecutionStatus = 'Failed' AND (${status} IS NULL OR ${status} != 'failed')))`;
  return engine.within(LIST_DEADLINE_MS, ({ workflowService, options: { namespace } }) =>
    workflowService.listWorkflowExecutions({ namespace, query, ...page }),
  );
}

/** Numbers of rows checked and changed, and the errors of rows that could not be reconciled. */
interface Reconciled {
  seen: number;
  changed: number;
  failures: Error[];
}

const NOTHING: Reconciled = { seen: 0, changed: 0, failures: [] };

/**
 * Reconciles rows one by one. A row that fails does not block the others.
 *
 * @throws an outage of a dependency, since all further rows would fail as well
 */
async function reconcileEach(
  { em, engine }: WorkDeps,
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

function add(a: Reconciled, b: Reconciled): Reconciled {
  return {
    seen: a.seen + b.seen,
    changed: a.changed + b.changed,
    failures: [...a.failures, ...b.failures],
  };
}
