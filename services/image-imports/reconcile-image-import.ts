import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageImport } from '../../db/entities/uploads/image-import.ts';
import type { Engine } from '../../temporal/client.ts';
import { imageImportWorkflowId } from '../../temporal/contract/ids.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { failImageImport } from './end-image-import.ts';
import { startImageImport } from './start-image-import.ts';

/**
 * Reconciles an import and the engine, whichever is behind: starts what the engine does not know, and fails an import
 * whose workflow ended without ending it. Idempotent. Needs no worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileImageImport(
  { em, engine }: { em: EntityManager; engine: Engine },
  row: ImageImport,
  milliseconds: number,
): Promise<boolean> {
  if (row.status !== 'pending') return false;
  if (row.engineDueAt) await startImageImport({ em, engine }, row);
  const run = await describeWorkflowRun(engine, imageImportWorkflowId(row.id), milliseconds);
  if (!run) await startImageImport({ em, engine }, row);
  if (!run || run.outcome === 'running') return false;
  return failImageImport(em, { fileId: row.id, tenantId: row.tenantId }, run.reason);
}
