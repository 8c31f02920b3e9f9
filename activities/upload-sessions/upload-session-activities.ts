import type { Orm } from '../../db/create-orm.ts';
import { Refusal } from '../../domain/app-error.ts';
import { cancelSession } from '../../services/upload-sessions/cancel-upload-session.ts';
import { closeSession } from '../../services/upload-sessions/close-upload-session.ts';
import type { SessionTarget } from '../../services/upload-sessions/find-upload-session.ts';
import { readSessionWork } from '../../services/upload-sessions/read-open-work.ts';
import { sealSession } from '../../services/upload-sessions/seal-upload-session.ts';
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
