import type { EntityManager } from '@mikro-orm/postgresql';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { isDirectUploadOpen, OPEN_DIRECT_UPLOAD_STATUSES } from '../../domain/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { changeUpload, recordUploadEnd, signalUploadEnd } from './change-upload.ts';
import { reconcileTarget } from '../shared/define-work.ts';
import { acknowledge, isDue, NOT_DUE } from '../shared/due.ts';
import { lockUpload } from './find-upload.ts';
import {
  ABORT_REQUESTED,
  COMPLETE_REQUESTED,
  DIRECT_UPLOAD_WORKFLOWS,
  type DirectUploadInput,
} from '../../temporal/contract/direct-upload.ts';
import { historyName } from '../../temporal/history-name.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';

/**
 * Reconciles an upload and the engine, whichever is behind: signals what its workflow may have missed, and fails an
 * open upload whose workflow ended without closing it, for the sweep to clean up. Idempotent. Needs no worker.
 *
 * @param upload is refreshed when it was changed
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  upload: DirectUpload,
  milliseconds: number,
): Promise<boolean> {
  const isOpen = isDirectUploadOpen(upload.status);
  if (!isOpen && !isDue(upload)) return false;
  const run = await describeWorkflowRun(engine, DIRECT_UPLOAD_WORKFLOWS.of(upload.id), milliseconds);
  const hasEnded = run && run.outcome !== 'running';
  if (!hasEnded || !isOpen) {
    if (!run || (isDue(upload) && (hasEnded || run.isIdle)))
      await startOrSignalDirectUpload({ em, engine }, upload);
    return false;
  }
  const changed = await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: upload.id, tenantId: upload.tenantId });
    if (!changeUpload(current, { type: 'workflow_ended', reason: run.reason })) return false;
    current.cleanAt = new Date();
    Object.assign(current, NOT_DUE);
    await recordUploadEnd(tx, current);
    return true;
  });
  await em.refreshOrFail(upload);
  if (changed) await signalUploadEnd({ em, engine }, upload);
  return changed;
}

/**
 * Notifies the engine of an upload's state: that it exists, is to be verified, or is to be cleaned up. Idempotent and
 * safe to run concurrently; each signal starts the workflow if it is not running. A verification or a clean-up stays due
 * until it has read the row.
 *
 * @returns `ended` when its workflow has already ended, so that nothing received the signal; `unreachable` when the
 *   engine did not respond, and the sweep will retry
 */
export async function startOrSignalDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  upload: DirectUpload,
): Promise<'signalled' | 'ended' | 'unreachable'> {
  const { id, tenantId, status, completeRequestedAt } = upload;
  const isOpen = isDirectUploadOpen(status);
  if (status !== 'COMPLETED') {
    const ids = { tenant_id: tenantId, upload_id: id };
    const started = await ifReachable(engine, ids, () => start(engine, upload));
    if (started === undefined) return 'unreachable';
    if (!started && isOpen) return 'ended';
    if (started && (!isOpen || completeRequestedAt)) return 'signalled';
    // Its workflow has ended and cannot clean up; the sweep does.
    if (!started) await em.nativeUpdate(DirectUpload, { id }, { cleanAt: new Date() });
  }
  // There is nothing to tell; a workflow that waits for the client is started by what the client does next, too.
  await acknowledge(em, DirectUpload, upload);
  return 'signalled';
}

async function start(engine: Engine, upload: DirectUpload): Promise<boolean> {
  const { id: uploadId, tenantId, mediaType, sessionId, contentType, sizeBytes, mode } = upload;
  const name = historyName(engine, upload.filename);
  const input: DirectUploadInput = {
    uploadId,
    tenantId,
    mediaType,
    expiresAt: upload.expiresAt.toISOString(),
    ...(sessionId && { sessionId }),
    ...(name !== undefined && { name }),
  };
  const summary = `${contentType}, ${sizeBytes} bytes, ${mode}`;
  return startWorkflow(engine, DIRECT_UPLOAD_WORKFLOWS, input, { summary, signal: signalFor(upload) });
}

function signalFor(upload: DirectUpload): typeof ABORT_REQUESTED | typeof COMPLETE_REQUESTED | undefined {
  if (!isDirectUploadOpen(upload.status)) return ABORT_REQUESTED;
  return upload.completeRequestedAt ? COMPLETE_REQUESTED : undefined;
}

export const directUploadTarget = reconcileTarget<DirectUpload>({
  noun: 'direct upload',
  entity: DirectUpload,
  workflow: DIRECT_UPLOAD_WORKFLOWS,
  open: { status: { $in: OPEN_DIRECT_UPLOAD_STATUSES } },
  // An upload that still waits for its client is reconciled by the next request or at its expiry.
  quiet: (before) => ({ completeRequestedAt: { $lt: before } }),
  reconcile: reconcileDirectUpload,
});
