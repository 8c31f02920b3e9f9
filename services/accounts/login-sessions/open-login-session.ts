import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { LOGIN_SESSION_SECONDS } from '../../../domain/accounts/login.ts';
import { generateToken } from '../tokens/secret-token.ts';

export interface Login {
  userId: string;
  /** The tenant to act in. */
  tenantId: string;
  userAgent: string;
  ipAddress: string;
}

/** Logs a user in. The token is for the cookie; it is stored nowhere. */
export async function openLoginSession(
  em: EntityManager,
  { userId, tenantId, userAgent, ipAddress }: Login,
): Promise<{ sessionId: string; token: string }> {
  const sessionId = randomUUID();
  const { token, hash } = generateToken();
  const createdAt = new Date();
  await em.insert(LoginSession, {
    id: sessionId,
    userId,
    tenantId,
    tokenHash: hash,
    userAgent: userAgent.slice(0, 500),
    ipAddress,
    createdAt,
    lastActivityAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + LOGIN_SESSION_SECONDS * 1000),
  });
  return { sessionId, token };
}
