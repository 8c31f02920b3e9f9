import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import { stopUnstartedFiles } from './stop-unstarted-files.ts';

/**
 * Cancels a session immediately in its row: files that never came or were never started stay pending, the latter are
 * refunded. Files in progress
 * are stopped by its workflow once reconciled; without one they stop at their next step.
 *
 * @throws AppError UPLOAD_SESSION_ENDED when it already has a terminal status; NOT_FOUND
 */
export async function cancelUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
): Promise<UploadSession> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    rejectEnded(session);
    await stopUnstartedFiles(tx, session.id, { type: 'run_cancelled', at: new Date().toISOString() });
    const now = await databaseTime(tx);
    session.status = 'cancelled';
    session.sealedBy ??= 'cancel';
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = now;
    session.engineDueAt = now;
    return session;
  });
}

/**
 * Compared with the times at which runs began (desiredFileState), which the database has set: those that began before
 * the cancellation are stopped. Rounded up, since dates here have no microseconds.
 */
async function databaseTime(tx: EntityManager): Promise<Date> {
  const [row] = await tx.execute<{ ms: string }[]>(
    'select ceil(extract(epoch from clock_timestamp()) * 1000) as ms',
  );
  return new Date(Number(row?.ms));
}

/** @throws AppError UPLOAD_SESSION_ENDED */
export function rejectEnded({ status }: UploadSession): void {
  if (!isOpenUploadSession(status))
    throw new AppError('UPLOAD_SESSION_ENDED', `the session is already ${status}`);
}
