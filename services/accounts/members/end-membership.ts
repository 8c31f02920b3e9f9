import type { EntityManager } from '@mikro-orm/postgresql';
import { AccountToken } from '../../../db/entities/accounts/account-token.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';

/** What ended with a membership. */
export interface EndedAccess {
  sessions: number;
  apiKeys: number;
}

/**
 * Takes a user out of a tenant, or withdraws the invitation to it: their sessions in it end and their keys are revoked, for good: who is invited again
 * begins anew.
 */
export async function endMembership(
  tx: EntityManager,
  tenantId: string,
  userId: string,
): Promise<EndedAccess> {
  await tx.nativeDelete(Membership, { tenantId, userId });
  await tx.nativeDelete(Invitation, { tenantId, userId });
  await tx.nativeDelete(AccountToken, { tenantId, userId });
  const sessions = await tx.nativeDelete(LoginSession, { tenantId, userId });
  const apiKeys = await tx.nativeUpdate(
    ApiKey,
    { tenantId, createdBy: userId, revokedAt: null },
    { revokedAt: new Date() },
  );
  return { sessions, apiKeys };
}
