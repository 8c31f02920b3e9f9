import type { EntityManager } from '@mikro-orm/postgresql';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import { isDue, markDue } from '../shared/due.ts';
import { changeUpload, recordUploadEnd, signalUploadEnd } from './change-upload.ts';
import { findUpload, lockUpload, type UploadTarget } from './find-upload.ts';
import { startOrSignalDirectUpload } from './reconcile-direct-upload.ts';

const ABORTED = 'UPLOAD_ABORTED';

/**
 * Aborts an upload: first in its row, which decides any race, then in the engine, which cleans the store. Idempotent;
 * the first reason wins. No credits are refunded, since none are reserved before completion.
 *
 * @returns `aborted: false` for an upload that had already ended otherwise, which stays unchanged
 */
export async function abortUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  target: UploadTarget,
  reason: string | null,
): Promise<{ upload: DirectUpload; aborted: boolean }> {
  await em.transactional(async (tx) => {
    const upload = await lockUpload(tx, target);
    const message = reason === null ? 'the upload was aborted' : `the upload was aborted: ${reason}`;
    if (!changeUpload(upload, { type: 'aborted', reason: { code: ABORTED, message } })) return;
    upload.abortReason = reason;
    markDue(upload);
    await recordUploadEnd(tx, upload);
  });
  const upload = await findUpload(em, target);
  const aborted = upload.error?.code === ABORTED;
  if (aborted && isDue(upload)) {
    await startOrSignalDirectUpload({ em, engine }, upload);
    await signalUploadEnd({ em, engine }, upload);
  }
  return { upload, aborted };
}
