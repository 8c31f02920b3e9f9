import type { EntityManager } from '@mikro-orm/postgresql';
import type { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { Engine } from '../../temporal/client.ts';
import type { ExtractDataInput } from '../../temporal/contract/extract-data.ts';
import { extractionWorkflowId } from '../../temporal/contract/ids.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { recordEnd } from './end-extraction.ts';

/** Starts the workflow of an extraction; until that has read the row, the sweep does so again. Idempotent. */
export async function startExtraction(engine: Engine, extraction: SchemaExtraction): Promise<void> {
  const { id, tenantId, giveUpAt, source, level } = extraction;
  const input: ExtractDataInput = {
    extractionId: id,
    tenantId,
    priority: 'interactive',
    ...(giveUpAt && { giveUpAt: giveUpAt.toISOString() }),
  };
  const ids = { tenant_id: tenantId, extraction_id: id };
  await ifReachable(engine, ids, () =>
    startWorkflow(engine, 'extractData', input, { summary: `Extraction from ${source}, ${level}` }),
  );
}

/**
 * Reconciles an extraction and the engine: starts a workflow that is missing in the engine, and fails an extraction
 * whose workflow ended without recording it. Idempotent. Needs no worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileExtraction(
  { em, engine }: { em: EntityManager; engine: Engine },
  extraction: SchemaExtraction,
  milliseconds: number,
): Promise<boolean> {
  // The schema extraction of an upload is part of its workflow, whose end ends it.
  if (extraction.status !== 'processing' || extraction.source === 'upload') return false;
  const { id: extractionId, tenantId } = extraction;
  const run = await describeWorkflowRun(engine, extractionWorkflowId(extractionId), milliseconds);
  if (!run) await startExtraction(engine, extraction);
  if (!run || run.outcome === 'running') return false;
  const { reason } = run;
  const end = { status: 'failed', reason } as const;
  const changed = await em.transactional((tx) => recordEnd(tx, { extractionId, tenantId }, end));
  await em.refreshOrFail(extraction);
  return changed !== undefined;
}
