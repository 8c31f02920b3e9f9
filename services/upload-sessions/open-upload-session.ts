import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { UploadMethod } from '../../domain/upload-sessions/upload-session.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import { PENDING_WINDOW_SECONDS } from '../../domain/limits.ts';
import type { Engine } from '../../temporal/client.ts';
import { UPLOAD_SESSION_WORKFLOWS, type UploadSessionInput } from '../../temporal/contract/upload-session.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { dueSince } from '../shared/due.ts';

/** An upload session to create. */
interface NewUploadSession {
  sessionId: string;
  uploadMethod: UploadMethod;
  /** Receives the events of the session. */
  webhook?: RequestWebhook | undefined;
}

/** Creates the row of a new upload session, ready for files. */
export async function openUploadSession(
  em: EntityManager,
  { tenantId, credential }: Principal,
  { sessionId, uploadMethod, webhook }: NewUploadSession,
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
    userId: credential.kind === 'session' ? credential.userId : null,
    apiKeyId: apiKeyIdOf(credential) ?? null,
    sealedBy: null,
    pausedAt: null,
    error: null,
    confirmedAt: null,
    confirmingUntil: null,
    ...dueSince(now),
    createdAt: now,
    startedAt: now,
    completedAt: null,
  });
  await em.transactional(async (tx) => {
    await subscribeToSubject(tx, webhook, { tenantId, kind: 'batch', id: sessionId });
    await tx.persist(session).flush();
  });
  return session;
}

/**
 * Starts the current generation of an upload session in the engine. Idempotent. The session stays due until that run has
 * read its row.
 *
 * @returns false when the engine is unreachable, or still busy with the previous generation; the sweep retries
 */
export async function startUploadSession(engine: Engine, session: UploadSession): Promise<boolean> {
  const { id: sessionId, tenantId, generation, uploadMethod } = session;
  const presigned = uploadMethod === 'presigned' && { staleAfterMs: PENDING_WINDOW_SECONDS * 1000 };
  const input: UploadSessionInput = { sessionId, tenantId, generation, ...presigned };
  const ids = { tenant_id: tenantId, session_id: sessionId };
  return Boolean(
    await ifReachable(engine, ids, () => startWorkflow(engine, UPLOAD_SESSION_WORKFLOWS, input)),
  );
}
