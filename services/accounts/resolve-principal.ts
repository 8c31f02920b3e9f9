import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/accounts/permissions.ts';
import { AppError } from '../../domain/app-error.ts';
import { TIER_LIMITS, type Tier } from '../../domain/accounts/tiers.ts';
import { hashApiKey, isApiKey } from './api-key.ts';

/** The authenticated caller. Every query takes its tenant from here. */
export interface Principal {
  tenantId: string;
  tier: Tier;
  role: Role;
  /** The public part of the API key. */
  keyId: string;
}

/**
 * The principal of an API key. Read from the database every time, so that a revocation takes effect at once.
 *
 * @throws AppError UNAUTHENTICATED (one message for every cause), INSUFFICIENT_TIER on a tier without API access
 */
export async function resolvePrincipal(
  em: EntityManager,
  apiKey: string,
  now = new Date(),
): Promise<Principal> {
  const key = isApiKey(apiKey) ? await findKey(em, apiKey, now) : undefined;
  if (!key) throw new AppError('UNAUTHENTICATED', 'the API key is not valid');
  if (!TIER_LIMITS[key.tier].apiAccess) {
    throw new AppError(
      'INSUFFICIENT_TIER',
      'Insufficient subscription tier: API access needs STARTER or higher',
    );
  }
  return { tenantId: key.tenant_id, tier: key.tier, role: key.role, keyId: key.id };
}

/** One statement without entities: it precedes every request. */
async function findKey(em: EntityManager, apiKey: string, now: Date) {
  const [key] = await em.execute<{ id: string; role: Role; tenant_id: string; tier: Tier }[]>(
    `select k.id, k.role, k.tenant_id, t.tier from api_keys k join tenants t on t.id = k.tenant_id
     where k.key_hash = ? and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?)`,
    [hashApiKey(apiKey), now],
  );
  return key;
}
