import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import type { Principal } from '../accounts/principal.ts';
import { retryFile } from '../processing/retry-file.ts';
import { markDue } from '../shared/due.ts';

/**
 * Reopens every file of a session that failed, wholly or in part, to run only what failed. A session that had ended is
 * in progress again, in its next generation; files that were never stored must be uploaded again.
 *
 * @returns the updated session, for reconcileUploadSession, and the number of files that run again
 * @throws AppError UPLOAD_SESSION_ENDED for a cancelled session, WORK_IN_PROGRESS for one that is still uploading,
 *   NOTHING_TO_RETRY, QUOTA_EXHAUSTED when the credits do not suffice for the first file
 */
export async function retryUploadSession(
  em: EntityManager,
  principal: Principal,
  target: UploadSessionTarget,
): Promise<{ session: UploadSession; retried: number }> {
  return em.transactional(async (tx) => {
    const session = await lockUploadSession(tx, target);
    if (session.status === 'cancelled') {
      throw new AppError('UPLOAD_SESSION_ENDED', 'the session is cancelled; retry its files one by one');
    }
    if (!session.sealedBy) throw new AppError('WORK_IN_PROGRESS', 'the session is still being uploaded');
    // Lock all rows before reserving credits: a retry of one file holds its row lock while it waits for the balance.
    const failed = await tx.find(
      StoredFile,
      {
        sessionId: session.id,
        tenantId: session.tenantId,
        deletedAt: null,
        primaryStatus: { $in: ['failed', 'partially_completed'] },
        duplicateOf: null,
      },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    const retried = await retryAll(tx, principal, failed);
    if (retried === 0) throw new AppError('NOTHING_TO_RETRY', 'no stored file of this session failed');

    if (!isOpenUploadSession(session.status)) {
      session.status = 'processing';
      session.generation += 1;
      session.completedAt = null;
      session.error = null;
    }
    session.version += 1;
    markDue(session);
    return { session, retried };
  });
}

/** Retries as many files as there are credits for, at least one. */
async function retryAll(tx: EntityManager, principal: Principal, files: StoredFile[]): Promise<number> {
  let retried = 0;
  for (const file of files) {
    try {
      await retryFile(tx, principal, file);
      retried += 1;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === 'QUOTA_EXHAUSTED' && retried > 0) break;
      if (code !== 'NOTHING_TO_RETRY' && code !== 'WORK_IN_PROGRESS') throw error;
    }
  }
  return retried;
}
