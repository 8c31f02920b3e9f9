import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { directUploadWorkflowId } from '../../../temporal/contract/ids.ts';
import { describeWorkflowRun } from '../../../temporal/status/describe-workflow-run.ts';
import { changeUpload } from './change-upload.ts';
import { lockUpload } from './find-upload.ts';
import { recordUploadEnd, signalUploadEnd } from './record-upload-end.ts';
import { startOrSignalDirectUpload } from './start-or-signal-direct-upload.ts';

/**
 * Reconciles an intent and the engine, whichever is behind: signals what its workflow may have missed, and fails an
 * open intent whose workflow ended without closing it, for the sweep to clean up. Idempotent. Needs no worker.
 *
 * @param intent is refreshed when it was changed
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  intent: UploadIntent,
  milliseconds: number,
): Promise<boolean> {
  if (intent.engineDueAt && (await startOrSignalDirectUpload({ em, engine }, intent)) !== 'ended')
    return false;
  if (!isIntentOpen(intent.status)) return false;
  const run = await describeWorkflowRun(engine, directUploadWorkflowId(intent.id), milliseconds);
  if (!run) await startOrSignalDirectUpload({ em, engine }, intent);
  if (!run || run.outcome === 'running') return false;
  const changed = await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: intent.id, tenantId: intent.tenantId });
    if (!changeUpload(current, { type: 'workflow_ended', reason: run.reason })) return false;
    current.cleanAt = new Date();
    current.engineDueAt = null;
    await recordUploadEnd(tx, current);
    return true;
  });
  await em.refreshOrFail(intent);
  if (changed) await signalUploadEnd({ em, engine }, intent);
  return changed;
}
