import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKey } from '../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
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
  const key = isApiKey(apiKey) ? await em.findOne(ApiKey, { keyHash: hashApiKey(apiKey) }) : null;
  if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) {
    throw new AppError('UNAUTHENTICATED', 'the API key is not valid');
  }
  const tenant = await em.findOneOrFail(Tenant, key.tenantId);
  if (!TIER_LIMITS[tenant.tier].apiAccess) {
    throw new AppError(
      'INSUFFICIENT_TIER',
      'Insufficient subscription tier: API access needs STARTER or higher',
    );
  }
  return { tenantId: tenant.id, tier: tenant.tier, role: key.role, keyId: key.id };
}
