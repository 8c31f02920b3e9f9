import type { Orm } from '../../db/create-orm.ts';
import { Refusal } from '../../domain/refusal.ts';
import { cancelSession } from '../../services/cancel-session.ts';
import { closeSession } from '../../services/close-session.ts';
import type { SessionTarget } from '../../services/find-session.ts';
import { readSessionWork } from '../../services/read-session-work.ts';
import { sealSession } from '../../services/seal-session.ts';
import type { SessionView } from '../../temporal/contract/batch-session.ts';

/** The row of an upload session, for its workflow. They run as local activities, and on `io` when the database is slow. */
export function createSessionActivities({ orm }: { orm: Orm }) {
  return {
    readSession: (target: SessionTarget, after?: string): Promise<SessionView> =>
      readSessionWork(orm.em.fork(), target, after),

    /** Whether the session has a terminal status now. */
    closeSession: (target: SessionTarget): Promise<boolean> => closeSession(orm.em.fork(), target),

    async expireSession(target: SessionTarget): Promise<void> {
      await sealSession(orm.em.fork(), target, 'expiry');
    },

    /** For a cancellation that came through the engine. */
    async cancelSession(target: SessionTarget): Promise<void> {
      try {
        await cancelSession(orm.em.fork(), target);
      } catch (error) {
        if (!(error instanceof Refusal && error.code === 'SESSION_ENDED')) throw error;
      }
    },
  };
}
