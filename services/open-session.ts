import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../db/entities/upload-session.ts';
import type { UploadMethod } from '../domain/session.ts';
import type { Principal } from './resolve-principal.ts';

/** Writes the row of a new upload session, ready to take files. */
export async function openSession(
  em: EntityManager,
  { tenantId }: Principal,
  { sessionId, uploadMethod }: { sessionId: string; uploadMethod: UploadMethod },
): Promise<UploadSession> {
  const now = new Date();
  const session = em.create(UploadSession, {
    id: sessionId,
    tenantId,
    uploadMethod,
    status: 'uploading',
    generation: 1,
    version: 1,
    sealedBy: null,
    pausedAt: null,
    error: null,
    workflowStartedAt: null,
    untoldSince: null,
    createdAt: now,
    startedAt: now,
    completedAt: null,
  });
  await em.persist(session).flush();
  return session;
}
