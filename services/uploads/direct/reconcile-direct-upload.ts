import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { describeDirectUploadRun } from '../../../temporal/status/describe-direct-upload-run.ts';
import { changeUpload } from './change-upload.ts';
import { lockUpload } from './find-upload.ts';
import { noteUploadEnd, signalUploadEnd } from './note-upload-end.ts';
import { startOrSignalDirectUpload } from './start-or-signal-direct-upload.ts';

/**
 * Brings the engine's verdict to an open intent: one whose workflow has ended without closing it is `FAILED` with the
 * reason, and the sweep cleans up. An intent that the engine does not know is told to it again. Needs no worker.
 *
 * @returns whether the row was behind
 * @throws EngineUnavailable
 */
export async function reconcileDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  intent: UploadIntent,
  milliseconds: number,
): Promise<boolean> {
  if (!isIntentOpen(intent.status)) return false;
  const run = await describeDirectUploadRun(engine, intent.id, milliseconds);
  if (!run) await startOrSignalDirectUpload({ em, engine }, intent);
  if (!run || run.outcome === 'running') return false;
  const changed = await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: intent.id, tenantId: intent.tenantId });
    if (!changeUpload(current, { type: 'workflow_ended', reason: run.reason })) return false;
    current.cleanAt = new Date();
    await noteUploadEnd(tx, current);
    return true;
  });
  await em.refreshOrFail(intent);
  if (changed) await signalUploadEnd({ em, engine }, intent);
  return changed;
}
