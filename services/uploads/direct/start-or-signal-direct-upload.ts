import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import {
  ABORT_REQUESTED,
  COMPLETE_REQUESTED,
  type DirectUploadInput,
} from '../../../temporal/contract/direct-upload.ts';
import { historyName } from '../../../temporal/history-name.ts';
import { ifReachable } from '../../../temporal/if-reachable.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';

/**
 * Notifies the engine of an intent's state: that it exists, is to be verified, or is to be cleaned up. Idempotent and
 * safe to run concurrently; each signal starts the workflow if it is not running.
 *
 * @returns `ended` when its workflow has already ended, so that nothing received the signal; `unreachable` when the
 *   engine did not respond, and the sweep will retry
 */
export async function startOrSignalDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  intent: UploadIntent,
): Promise<'signalled' | 'ended' | 'unreachable'> {
  const { id, tenantId, status, completeRequestedAt } = intent;
  if (status !== 'COMPLETED') {
    const ids = { tenant_id: tenantId, upload_id: id };
    const started = await ifReachable(engine, ids, () => start(engine, intent));
    if (started === undefined) return 'unreachable';
    if (!started && isIntentOpen(status)) return 'ended';
    // Its workflow has ended and cannot clean up; the sweep does.
    if (!started) await em.nativeUpdate(UploadIntent, { id }, { cleanAt: new Date() });
  }
  // Only if the row is unchanged: otherwise there is something newer to signal.
  await em.nativeUpdate(UploadIntent, { id, status, completeRequestedAt }, { engineDueAt: null });
  return 'signalled';
}

async function start(engine: Engine, intent: UploadIntent): Promise<boolean> {
  const { id: uploadId, tenantId, mediaType, sessionId, contentType, sizeBytes, mode } = intent;
  const name = historyName(engine, intent.filename);
  const input: DirectUploadInput = {
    uploadId,
    tenantId,
    mediaType,
    expiresAt: intent.expiresAt.toISOString(),
    ...(sessionId && { sessionId }),
    ...(name !== undefined && { name }),
  };
  const summary = `${contentType}, ${sizeBytes} bytes, ${mode}`;
  return startWorkflow(engine, 'directUpload', input, { summary, signal: signalFor(intent) });
}

function signalFor(intent: UploadIntent): typeof ABORT_REQUESTED | typeof COMPLETE_REQUESTED | undefined {
  if (!isIntentOpen(intent.status)) return ABORT_REQUESTED;
  return intent.completeRequestedAt ? COMPLETE_REQUESTED : undefined;
}
