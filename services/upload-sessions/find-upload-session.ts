import type { EntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/core';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../shared/ids.ts';

/** Which session, and whose. */
export interface UploadSessionTarget {
  sessionId: string;
  tenantId: string;
}

/**
 * A session of the tenant.
 *
 * @throws AppError NOT_FOUND for whatever is absent, foreign or no id at all
 */
export async function findUploadSession(
  em: EntityManager,
  { sessionId, tenantId }: UploadSessionTarget,
): Promise<UploadSession> {
  const session = isUuid(sessionId)
    ? await em.findOne(UploadSession, { id: sessionId.toLowerCase(), tenantId }, { refresh: true })
    : null;
  if (!session) throw notFound('session');
  return session;
}

/**
 * The same, held against every other change of its status until the transaction ends.
 *
 * @throws AppError NOT_FOUND
 */
export async function lockUploadSession(
  tx: EntityManager,
  { sessionId, tenantId }: UploadSessionTarget,
): Promise<UploadSession> {
  const session = isUuid(sessionId)
    ? await tx.findOne(
        UploadSession,
        { id: sessionId.toLowerCase(), tenantId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      )
    : null;
  if (!session) throw notFound('session');
  return session;
}
