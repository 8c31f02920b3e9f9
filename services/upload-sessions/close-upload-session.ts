import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenSession, sessionOutcome } from '../../domain/upload-sessions/upload-session.ts';
import { countSession } from './count-files.ts';
import { lockSession } from './find-upload-session.ts';
import type { SessionTarget } from './find-upload-session.ts';

/**
 * Gives a session its terminal status once it is sealed and every file has ended. Safe to repeat; a session that was
 * cancelled meanwhile stays so.
 *
 * @returns whether the session has a terminal status now
 */
export async function closeSession(em: EntityManager, target: SessionTarget): Promise<boolean> {
  return em.transactional(async (tx) => {
    const session = await lockSession(tx, target);
    if (!isOpenSession(session.status)) return true;
    if (!session.sealedBy) return false;
    const counts = await countSession(tx, session.id);
    if (counts.pending > 0) return false;
    session.status = sessionOutcome(counts, session.sealedBy);
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = new Date();
    return true;
  });
}
