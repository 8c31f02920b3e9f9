import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenUploadSession, uploadSessionOutcome } from '../../domain/upload-sessions/upload-session.ts';
import { countFiles } from './count-files.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';

/**
 * Sets the terminal status of a session once it is sealed and every file has ended. Idempotent; a session cancelled
 * meanwhile stays cancelled.
 *
 * @returns whether the session now has a terminal status
 */
export async function closeUploadSession(em: EntityManager, target: UploadSessionTarget): Promise<boolean> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (!isOpenUploadSession(session.status)) return true;
    if (!session.sealedBy) return false;
    const counts = await countFiles(tx, session.id);
    if (counts.pending > 0) return false;
    session.status = uploadSessionOutcome(counts, session.sealedBy);
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = new Date();
    return true;
  });
}
