import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { Refusal } from '../../domain/app-error.ts';
import { isOpenSession } from '../../domain/upload-sessions/upload-session.ts';
import { lockSession } from './find-upload-session.ts';
import type { SessionTarget } from './find-upload-session.ts';
import { loseUnfinished } from './seal-upload-session.ts';
import { stopUnstartedFiles } from './stop-unstarted-files.ts';

/**
 * Cancels a session at once, in its row: files that were never started stay so and are refunded. Those at work are
 * stopped by the workflow, which has to be told (tell-session.ts).
 *
 * @throws Refusal SESSION_ENDED when it has a terminal status already; NOT_FOUND
 */
export async function cancelSession(em: EntityManager, target: SessionTarget): Promise<UploadSession> {
  return em.transactional(async (tx) => {
    const session = await lockSession(tx, target);
    refuseEnded(session);
    const now = new Date();
    await loseUnfinished(tx, session.id);
    await stopUnstartedFiles(tx, session.id, { type: 'run_cancelled', at: now.toISOString() });
    session.status = 'cancelled';
    session.sealedBy ??= 'cancel';
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = now;
    session.untoldSince = now;
    return session;
  });
}

/** @throws Refusal SESSION_ENDED */
export function refuseEnded({ status }: UploadSession): void {
  if (!isOpenSession(status)) throw new Refusal('SESSION_ENDED', `the session is already ${status}`);
}
