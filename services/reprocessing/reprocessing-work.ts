import { Reprocessing } from '../../db/entities/reprocessing/reprocessing.ts';
import { isReprocessingOpen, OPEN_REPROCESSING_STATUSES } from '../../domain/reprocessing.ts';
import {
  REPROCESSING_CHANGED,
  REPROCESSING_ROLLBACKS,
  REPROCESSING_WORKFLOWS,
  type ReprocessingTarget,
} from '../../temporal/contract/reprocess-files.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { defineWork, type WorkDeps } from '../shared/define-work.ts';
import { failReprocessing } from './change-reprocessing.ts';

const SHARED = {
  noun: 'reprocessing',
  entity: Reprocessing,
  quiet: (before: Date) => ({ createdAt: { $lt: before } }),
  input: ({ id, tenantId }: Reprocessing) => ({ reprocessingId: id, tenantId }),
  logged: ({ id }: Reprocessing) => ({ reprocessing_id: id }),
  fail: (...[em, { id, tenantId }, reason]: Parameters<FailWork>) =>
    failReprocessing(em, { reprocessingId: id, tenantId }, reason),
};
type FailWork = Parameters<typeof defineWork<Reprocessing, ReprocessingTarget>>[0]['fail'];

export const reprocessingWork = defineWork({
  ...SHARED,
  workflow: REPROCESSING_WORKFLOWS,
  openStatuses: OPEN_REPROCESSING_STATUSES,
  due: () => ({ status: { $ne: 'rolling_back' as const } }),
  own: {
    filter: { status: { $ne: 'rolling_back' as const } },
    test: ({ status }) => status !== 'rolling_back',
  },
});

/** A rollback has a workflow of its own, since that of the reprocessing has ended. */
export const rollbackWork = defineWork({
  ...SHARED,
  workflow: REPROCESSING_ROLLBACKS,
  openStatuses: ['rolling_back'],
  due: () => ({ status: 'rolling_back' }),
});

/** Tells the workflow of a changed row; if the engine is unreachable, the sweep or its next round does. */
export async function announceReprocessing(deps: WorkDeps, row: Reprocessing): Promise<void> {
  if (!row.engineDueAt) return;
  if (row.status === 'rolling_back') return rollbackWork.start(deps, row);
  if (!isReprocessingOpen(row.status)) return reprocessingWork.start(deps, row);
  const { id: reprocessingId, tenantId } = row;
  await ifReachable(deps.engine, { tenant_id: tenantId, reprocessing_id: reprocessingId }, () =>
    startWorkflow(
      deps.engine,
      REPROCESSING_WORKFLOWS,
      { reprocessingId, tenantId },
      { signal: REPROCESSING_CHANGED },
    ),
  );
}
