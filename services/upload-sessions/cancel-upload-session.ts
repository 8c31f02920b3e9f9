import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import { stopUnstartedFiles } from '../processing/stop-unstarted-files.ts';
import type { FailureReason } from '../../domain/components.ts';
import { markDue, NOT_DUE } from '../shared/due.ts';
import { markUnfinishedMissing } from './seal-upload-session.ts';

/**
 * Cancels a session immediately in its row: files that never arrived or were never started stay pending, and the latter
 * are refunded. Files in progress are stopped by its workflow once reconciled; without one they stop at their next step.
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
    markDue(session);
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

/**
 * Fails a session whose workflow ended without closing it. Files in progress continue by themselves; files that would
 * never be started fail with the reason and are refunded, and a retry of the session includes them.
 *
 * @param generation of the run that ended; a session retried since is not touched
 * @returns whether the row was stale
 */
export async function failUploadSession(
  em: EntityManager,
  target: UploadSessionTarget,
  generation: number,
  reason: FailureReason,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (!isOpenUploadSession(session.status) || session.generation !== generation) return false;
    const now = new Date();
    await markUnfinishedMissing(tx, session.id);
    await stopUnstartedFiles(tx, session.id, { type: 'run_ended_abnormally', at: now.toISOString(), reason });
    session.status = 'failed';
    session.sealedBy ??= 'connection';
    session.error = reason;
    session.pausedAt = null;
    session.version += 1;
    session.completedAt = now;
    Object.assign(session, NOT_DUE);
    return true;
  });
}

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
    session.pausedAt = paused ? new Date() : null;
    session.version += 1;
    markDue(session);
    return session;
  });
}
