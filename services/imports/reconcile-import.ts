import type { EntityManager } from '@mikro-orm/postgresql';
import { FileImport } from '../../db/entities/imports/import.ts';
import { isImportOpen, OPEN_IMPORT_STATUSES } from '../../domain/imports.ts';
import { EngineUnavailable } from '../../temporal/client.ts';
import { IMPORT_WORKFLOWS } from '../../temporal/contract/import-files.ts';
import { READ_DEADLINE_MS, START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { reconcileTarget, type WorkDeps } from '../shared/define-work.ts';
import { acknowledge } from '../shared/due.ts';
import { beginDuePass, failImport, isPassDue } from './change-import.ts';

/**
 * Brings the engine in line with the row of an import: starts the run of an open one, cancels that of another. Idempotent.
 * The row stays due until the run has read it, or has ended.
 */
export async function startOrCancelImport({ engine }: WorkDeps, row: FileImport): Promise<void> {
  const { id: importId, tenantId, generation, status } = row;
  await ifReachable(engine, { tenant_id: tenantId, import_id: importId }, async () => {
    const workflowId = IMPORT_WORKFLOWS.of(importId);
    if (!isImportOpen(status)) return cancelWorkflow(engine, workflowId);
    const input = { importId, tenantId, generation };
    if (await startWorkflow(engine, IMPORT_WORKFLOWS, input)) return undefined;
    const run = await describeWorkflowRun(engine, workflowId, START_DEADLINE_MS);
    // A run that waits for credits or its source is replaced; once it has closed, the sweep starts this one at the latest.
    if (run?.outcome === 'running' && run.generation < generation) {
      await cancelWorkflow(engine, workflowId);
      await startWorkflow(engine, IMPORT_WORKFLOWS, input);
    }
    return undefined;
  });
}

/**
 * Reconciles an import with the engine, whichever is behind: starts or cancels its run, and fails an open import whose run
 * has ended. Idempotent. Needs no worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileImport(
  deps: WorkDeps,
  row: FileImport,
  milliseconds: number,
): Promise<boolean> {
  const { id: importId, tenantId, generation } = row;
  if (isPassDue(row)) {
    const begun = await beginDuePass(deps.em.fork(), { importId, tenantId });
    await deps.em.refreshOrFail(row);
    if (isImportOpen(begun.status)) await startOrCancelImport(deps, begun);
    return isImportOpen(begun.status);
  }
  const open = isImportOpen(row.status);
  if (!open && !row.engineDueAt) return false;
  const run = await describeWorkflowRun(deps.engine, IMPORT_WORKFLOWS.of(importId), milliseconds);
  const isRunning = run?.outcome === 'running';
  if (!open) {
    if (isRunning) await startOrCancelImport(deps, row);
    else await acknowledge(deps.em, FileImport, row);
    return false;
  }
  // The end of a run before says nothing about this one, which is missing.
  if (!run || run.generation < generation) {
    await startOrCancelImport(deps, row);
    return false;
  }
  if (isRunning) return false;
  const changed = await failImport(deps.em.fork(), { importId, tenantId, generation }, run.reason);
  await deps.em.refreshOrFail(row);
  return changed;
}

/** The same for a request, which the row can answer when the engine is unreachable. */
export async function reconcileImportIfReachable(deps: WorkDeps, row: FileImport): Promise<void> {
  try {
    await reconcileImport(deps, row, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}

export const importTarget = reconcileTarget<FileImport>({
  noun: 'import',
  entity: FileImport,
  workflow: IMPORT_WORKFLOWS,
  open: { status: { $in: OPEN_IMPORT_STATUSES } },
  findUnmarkedDue: findDuePasses,
  reconcile: reconcileImport,
});

async function findDuePasses(em: EntityManager, before: Date, limit: number): Promise<string[]> {
  const due = await em.find(
    FileImport,
    { nextPassAt: { $lt: before } },
    { orderBy: { nextPassAt: 'asc' }, limit, fields: ['id'] },
  );
  return due.map(({ id }) => id);
}
