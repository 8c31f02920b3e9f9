import type { EntityManager } from '@mikro-orm/postgresql';
import { isIntentOpen, type IntentEvent } from '../../../domain/uploads/upload-intent.ts';
import { changeUpload } from './change-upload.ts';
import { lockUpload, type UploadTarget } from './find-upload.ts';
import { recordUploadEnd } from './record-upload-end.ts';

/**
 * Ends an intent that is still open.
 *
 * @returns `requested` when it stays open because its requested completion still has to be verified
 */
export async function endUpload(
  em: EntityManager,
  target: UploadTarget,
  event: Extract<IntentEvent, { type: 'expired' | 'refused' | 'aborted' }>,
): Promise<'ended' | 'requested'> {
  return em.transactional(async (tx) => {
    const intent = await lockUpload(tx, target);
    if (changeUpload(intent, event)) await recordUploadEnd(tx, intent);
    return isIntentOpen(intent.status) ? 'requested' : 'ended';
  });
}
