import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { rejectEnded } from './cancel-upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';

/**
 * Pauses an upload session or lets it go on, in its row: its workflow starts no further file of a paused one, and the
 * steps of those at work find it paused and are tried again later. Doing so again changes nothing.
 *
 * @throws AppError SESSION_ENDED, NOT_FOUND
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
