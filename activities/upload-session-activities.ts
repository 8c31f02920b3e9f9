import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import { cancelUploadSession } from '../services/upload-sessions/cancel-upload-session.ts';
import { closeUploadSession, sealUploadSession } from '../services/upload-sessions/seal-upload-session.ts';
import type { UploadSessionTarget } from '../services/upload-sessions/find-upload-session.ts';
import { readOpenWork } from '../services/upload-sessions/read-upload-session.ts';
import type { Engine } from '../temporal/client.ts';
import type { UploadSessionView } from '../temporal/contract/upload-session.ts';

/** A session workflow's access to its row: local activities, or on `io` when the database is slow. */
export function createUploadSessionActivities({ orm, engine }: { orm: Orm; engine: Engine }) {
  return {
    readUploadSession: (target: UploadSessionTarget, after?: string): Promise<UploadSessionView> =>
      readOpenWork({ em: orm.em.fork(), engine }, target, after),

    /** Whether the session has a terminal status now. */
    closeUploadSession: (target: UploadSessionTarget): Promise<boolean> =>
      closeUploadSession(orm.em.fork(), target, { byWorkflow: true }),

    async expireUploadSession(target: UploadSessionTarget): Promise<void> {
      await sealUploadSession(orm.em.fork(), target, 'expiry');
    },

    /** For a cancellation requested through the engine; a session that has ended stays as it is. */
    async cancelUploadSession(target: UploadSessionTarget): Promise<void> {
      try {
        await cancelUploadSession(orm.em.fork(), target);
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'UPLOAD_SESSION_ENDED')) throw error;
      }
    },
  };
}
