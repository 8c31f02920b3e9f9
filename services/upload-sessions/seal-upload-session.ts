import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import {
  isOpenUploadSession,
  uploadSessionOutcome,
  type SealedBy,
} from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import { countFiles } from './count-files.ts';
import { AppError } from '../../domain/app-error.ts';
import { markDue, NOT_DUE } from '../shared/due.ts';

/**
 * Seals a session: it accepts no more files, and incomplete ones are marked missing. The first to seal it sets the
 * reason; later calls change nothing.
 */
export async function sealUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
  by: Exclude<SealedBy, 'cancel'>,
): Promise<UploadSession> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (session.sealedBy || !isOpenUploadSession(session.status)) return session;
    await markUnfinishedMissing(tx, session.id);
    session.sealedBy = by;
    session.status = 'processing';
    session.version += 1;
    markDue(session);
    return session;
  });
}

/** Marks files that began to arrive and can no longer complete. */
export async function markUnfinishedMissing(tx: EntityManager, sessionId: string): Promise<void> {
  await tx.nativeUpdate(
    UploadSessionItem,
    { sessionId, state: 'uploading' },
    {
      state: 'missing',
      retryable: true,
      error: { code: 'UPLOAD_BROKEN_OFF', message: 'the upload broke off before the file was complete' },
    },
  );
}

/**
 * Sets the terminal status of a session once it is sealed and every file has ended. Idempotent; a session cancelled
 * meanwhile stays cancelled.
 *
 * @param byWorkflow whether its workflow does, which then has nothing more to learn
 * @returns whether the session now has a terminal status
 */
export async function closeUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
  { byWorkflow = false } = {},
): Promise<boolean> {
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
    if (byWorkflow) Object.assign(session, NOT_DUE);
    return true;
  });
}

/**
 * Locks a session against being sealed until the transaction ends.
 *
 * @throws AppError UPLOAD_SESSION_ENDED when it was sealed or cancelled meanwhile
 */
export async function lockOpenUploadSession(tx: EntityManager, sessionId: string): Promise<void> {
  const [session] = await tx.execute<{ status: string; sealed_by: string | null }[]>(
    'select status, sealed_by from upload_sessions where id = ? for share',
    [sessionId],
  );
  if (!session || session.sealed_by) {
    throw new AppError(
      'UPLOAD_SESSION_ENDED',
      `the session is ${session?.status ?? 'gone'} and takes no more files`,
    );
  }
}
