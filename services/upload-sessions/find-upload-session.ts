import type { EntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/core';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../shared/sql.ts';

export interface UploadSessionTarget {
  sessionId: string;
  tenantId: string;
}

/**
 * A session of the tenant.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
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
 * The same, with its row locked against other status changes until the transaction ends.
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
