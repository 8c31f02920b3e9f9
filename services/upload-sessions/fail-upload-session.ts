import type { EntityManager } from '@mikro-orm/postgresql';
import type { FailureReason } from '../../domain/components.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import { markUnfinishedMissing } from './seal-upload-session.ts';
import { stopUnstartedFiles } from './stop-unstarted-files.ts';

/**
 * Fails a session whose workflow ended without closing it. Files in progress continue by themselves; files that would
 * never be started fail with the reason and are refunded, and a retry of the session includes them.
 *
 * @param generation of the run that ended; a session retried since is not touched
 * @returns whether the row was stale
 */
export async function failUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
  generation: number,
  reason: FailureReason,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (!isOpenUploadSession(session.status) || session.generation !== generation) return false;
    const now = new Date();
    await markUnfinishedMissing(tx, session.id);
    await stopUnstartedFiles(tx, session.id, { type: 'run_ended_abnormally', at: now.toISOString(), reason });
    session.status = 'failed';
    session.sealedBy ??= 'connection';
    session.error = reason;
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = now;
    return true;
  });
}
