import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession, type SealedBy } from '../../domain/upload-sessions/upload-session.ts';
import { lockUploadSession, type UploadSessionTarget } from './find-upload-session.ts';

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
    session.engineDueAt = new Date();
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
