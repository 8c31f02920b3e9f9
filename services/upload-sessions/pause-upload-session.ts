import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { rejectEnded } from './cancel-upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';

/**
 * Pauses or resumes an upload session in its row: its workflow starts no more files of a paused session, and steps of
 * files in progress find it paused and are retried later. Idempotent.
 *
 * @throws AppError UPLOAD_SESSION_ENDED, NOT_FOUND
 */
export async function pauseUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
  paused: boolean,
): Promise<UploadSession> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    rejectEnded(session);
    if ((session.pausedAt !== null) === paused) return session;
    const now = new Date();
    session.pausedAt = paused ? now : null;
    session.version += 1;
    session.engineDueAt = now;
    return session;
  });
}
