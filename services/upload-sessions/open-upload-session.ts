import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { UploadMethod } from '../../domain/upload-sessions/upload-session.ts';
import type { Principal } from '../accounts/principal.ts';

/** Creates the row of a new upload session, ready for files. */
export async function openUploadSession(
  em: EntityManager,
  { tenantId }: Principal,
  { sessionId, uploadMethod }: { sessionId: string; uploadMethod: UploadMethod },
): Promise<UploadSession> {
  const now = new Date();
  const session = em.create(UploadSession, {
    id: sessionId,
    tenantId,
    uploadMethod,
    // The files of a streamed batch are already arriving.
    status: uploadMethod === 'streaming' ? 'uploading' : 'pending',
    generation: 1,
    version: 1,
    sealedBy: null,
    pausedAt: null,
    error: null,
    confirmedAt: null,
    confirmingUntil: null,
    engineDueAt: now,
    createdAt: now,
    startedAt: now,
    completedAt: null,
  });
  await em.persist(session).flush();
  return session;
}
