import type { EntityName, FilterQuery, FindOptions } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/app-error.ts';
import type { FailureReason } from '../../domain/components.ts';
import { EngineUnavailable, type Engine, type WorkIds } from '../../temporal/client.ts';
import type { RowWorkflows, Workflow } from '../../temporal/contract/workflow.ts';
import { READ_DEADLINE_MS, SWEEP_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { acknowledge, checkAgainLater, type DueRow } from './due.ts';
import { pollUntil, type PollOptions } from './outage.ts';
import { BEFORE_ALL, isUuid } from './sql.ts';

export interface WorkDeps {
  em: EntityManager;
  engine: Engine;
}

/** What the sweep needs to know of a kind of rows that have a workflow each. */
interface TargetDefinition<T> {
  noun: string;
  entity: EntityName<T>;
  workflow: RowWorkflows;
  /** Rows that have not ended. */
  open: FilterQuery<T>;
  /** Those of the open rows that have a workflow of their own; all unless given. */
  own?: () => FilterQuery<T>;
  /** Rows that are due on their own; all with a mark unless given. */
  due?: () => FilterQuery<T>;
  /** Ids of rows that are due without a mark. */
  findUnmarkedDue?: (em: EntityManager, before: Date, limit: number) => Promise<string[]>;
  /** Rows that nothing has changed since; by `updatedAt` unless given. */
  quiet?: (before: Date) => FilterQuery<T>;
  /** @returns whether the row was changed */
  reconcile: (deps: WorkDeps, row: T, milliseconds: number) => Promise<boolean>;
}

/** A kind of rows that may be out of sync with their workflows; each find method returns ids. */
export interface ReconcileTarget {
  noun: string;
  workflow: RowWorkflows;
  /** Filters these ids to rows that have not ended. */
  findOpen(em: EntityManager, ids: string[]): Promise<string[]>;
  /** Rows that were due at the engine before the given time, oldest first. */
  findDue(em: EntityManager, before: Date, limit: number): Promise<string[]>;
  /**
   * Pages of rows that should have a running workflow, in id order; only those without changes since `quietSince`, if given.
   *
   * @param em a new one for each page
   */
  findRunning(em: () => EntityManager, page: { limit: number; quietSince?: Date }): AsyncIterable<string[]>;
  /** Whether the row was changed. */
  reconcile(deps: WorkDeps, id: string): Promise<boolean>;
}

export function reconcileTarget<T extends DueRow>({
  noun,
  entity,
  workflow,
  open,
  own = () => ({}),
  due = () => ({}),
  findUnmarkedDue = async () => [],
  quiet = (before) => ({ updatedAt: { $lt: before } }) as unknown as FilterQuery<T>,
  reconcile,
}: TargetDefinition<T>): ReconcileTarget {
  const all = (...where: unknown[]) => ({ $and: where }) as FilterQuery<NoInfer<T>>;
  const order = (by: object) => by as FindOptions<T>['orderBy'] & {};
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  return {
    noun,
    workflow,
    findOpen: async (em, among) => idsOf(await em.find(entity, all({ id: { $in: among } }, open))),
    async findDue(em, before, limit) {
      const marked = await em.find(entity, all({ engineDueAt: { $lt: before } }, due()), {
        orderBy: order({ engineDueAt: 'asc' }),
        limit,
      });
      return [...new Set([...idsOf(marked), ...(await findUnmarkedDue(em, before, limit))])];
    },
    async *findRunning(em, { limit, quietSince }) {
      for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
        const since = quietSince ? quiet(quietSince) : {};
        const where = all({ id: { $gt: after }, engineDueAt: null }, open, own(), since);
        const page = idsOf(await em().find(entity, where, { orderBy: order({ id: 'asc' }), limit }));
        yield page;
        after = page.length < limit ? undefined : page.at(-1);
      }
    },
    async reconcile(deps, id) {
      const row = await deps.em.findOne(entity, all({ id }));
      if (!row) return false;
      try {
        return await reconcile(deps, row, SWEEP_DEADLINE_MS);
      } finally {
        await checkAgainLater(deps.em, entity, row);
      }
    },
  };
}

interface WorkRow extends DueRow {
  tenantId: string;
  status: string;
}

interface WorkDefinition<T extends WorkRow, Input extends object> extends Omit<
  TargetDefinition<T>,
  'workflow' | 'open' | 'own' | 'reconcile'
> {
  workflow: RowWorkflows & Workflow<Input>;
  openStatuses: readonly T['status'][];
  /** Tells the rows with a workflow of their own from others, which are left alone; all have one unless given. */
  own?: { filter: FilterQuery<T>; test: (row: T) => boolean };
  input: (row: T) => NoInfer<Input>;
  /** One line for operators; that of the contract unless given. */
  summary?: (row: T) => string;
  /** The ids of a row in logs, besides that of the tenant. */
  logged: (row: T) => Omit<WorkIds, 'tenant_id'>;
  /** Records that the engine has accepted the start. */
  onStarted?: (em: EntityManager, row: T) => Promise<unknown>;
  /** Ends an open row whose workflow has ended without doing so. Idempotent. @returns whether it was open */
  fail: (em: EntityManager, row: T, reason: FailureReason) => Promise<boolean>;
}

/** Everything that requests and the sweep do with the workflow of a row. */
export interface Work<T> {
  /** What the sweep does with it. */
  target: ReconcileTarget;
  /**
   * Starts the workflow of an open row, or cancels that of an ended one. Idempotent. The row stays due until the workflow
   * has read it, or has ended: if the engine is unreachable, the sweep tries again.
   */
  start(deps: WorkDeps, row: T): Promise<void>;
  startIfDue(deps: WorkDeps, row: T): Promise<void>;
  /**
   * Reconciles a row and the engine, whichever is behind: starts or cancels the workflow, and fails an open row whose
   * workflow has ended. Idempotent. Needs no worker.
   *
   * @param row is refreshed when it was changed
   * @returns whether the row was stale
   * @throws EngineUnavailable
   */
  reconcile(deps: WorkDeps, row: T, milliseconds: number): Promise<boolean>;
  /** The same for a request, which the row can answer when the engine is unreachable. */
  reconcileIfReachable(deps: WorkDeps, row: T): Promise<void>;
  /**
   * A row of the tenant, reconciled with the engine.
   *
   * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
   */
  find(deps: WorkDeps, tenantId: string, id: string): Promise<T>;
  /**
   * Waits until a row has ended, the time is up, or the client has gone. Starts it if that is still due.
   *
   * @param row is refreshed
   * @throws AppError NOT_FOUND if it was removed meanwhile
   */
  wait(deps: WorkDeps, row: T, options: Pick<PollOptions, 'milliseconds' | 'signal'>): Promise<void>;
}

/** Defines a kind of durable work: rows of an entity that open, have one workflow each, and end. */
export function defineWork<T extends WorkRow, Input extends object>(
  definition: WorkDefinition<T, Input>,
): Work<T> {
  const { noun, entity, workflow, openStatuses, own, input, summary, logged, onStarted, fail } = definition;
  const where = (filter: object) => filter as FilterQuery<NoInfer<T>>;
  const isOpen = ({ status }: Pick<WorkRow, 'status'>) => openStatuses.includes(status);
  const work: Work<T> = {
    target: reconcileTarget<T>({
      ...definition,
      open: where({ status: { $in: openStatuses } }),
      own: () => own?.filter ?? {},
      reconcile: (...reconciled) => work.reconcile(...reconciled),
    }),

    async start({ em, engine }, row) {
      const open = isOpen(row);
      const loggedIds = { tenant_id: row.tenantId, ...logged(row) };
      const accepted = await ifReachable(engine, loggedIds, async () => {
        if (open) await startWorkflow(engine, workflow, input(row), summary && { summary: summary(row) });
        else await cancelWorkflow(engine, workflow.of(row.id));
        return true;
      });
      if (accepted && open) await onStarted?.(em, row);
    },

    async startIfDue(deps, row) {
      if (row.engineDueAt) await work.start(deps, row);
    },

    async reconcile(deps, row, milliseconds) {
      const open = isOpen(row);
      if ((!open && !row.engineDueAt) || own?.test(row) === false) return false;
      const run = await describeWorkflowRun(deps.engine, workflow.of(row.id), milliseconds);
      const isRunning = run?.outcome === 'running';
      if (open ? !run : isRunning) await work.start(deps, row);
      if (!open && !isRunning) await acknowledge(deps.em, entity, row);
      if (!open || !run || isRunning) return false;
      const changed = await fail(deps.em, row, run.reason);
      await deps.em.refreshOrFail(row);
      return changed;
    },

    async reconcileIfReachable(deps, row) {
      try {
        await work.reconcile(deps, row, READ_DEADLINE_MS);
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error;
      }
    },

    async find(deps, tenantId, id) {
      const known = where({ id: id.toLowerCase(), tenantId });
      const row = isUuid(id) ? await deps.em.findOne(entity, known, { refresh: true }) : null;
      if (!row) throw notFound(noun);
      if (isOpen(row)) await work.reconcileIfReachable(deps, row);
      return row;
    },

    async wait(deps, row, options) {
      type State = Pick<WorkRow, 'status' | 'engineDueAt'>;
      // Results of a waiting row are not read again and again.
      const fields = ['status', 'engineDueAt'] as unknown as FindOptions<
        T,
        never,
        keyof T & string
      >['fields'] & {};
      let state: State | null = row;
      await pollUntil(
        async () => {
          state = (await deps.em.fork().findOne(entity, where({ id: row.id }), { fields })) as State | null;
          return !state || !isOpen(state) || undefined;
        },
        {
          ...options,
          startDue: async () => {
            if (state?.engineDueAt) await work.start(deps, row);
          },
        },
      );
      if (!(await deps.em.refresh(row))) throw notFound(noun);
    },
  };
  return work;
}
