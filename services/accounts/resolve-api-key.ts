import type { EntityManager } from '@mikro-orm/postgresql';
import type { Scope } from '../../domain/accounts/access.ts';
import type { Role } from '../../domain/accounts/permissions.ts';
import { limitsOf } from '../../domain/accounts/tiers.ts';
import { AppError } from '../../domain/app-error.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Principal, TenantLimitColumns } from './principal.ts';

interface KeyRow extends TenantLimitColumns {
  id: string;
  role: Role;
  scopes: Scope[] | null;
  tenant_id: string;
}

/**
 * The principal of an API key. Read from the database every time, so that a revocation takes effect at once on every
 * replica.
 *
 * @throws AppError UNAUTHENTICATED, with one message for every cause
 */
export async function resolveApiKey(em: EntityManager, apiKey: string): Promise<Principal> {
  const key = isApiKey(apiKey) ? await findKey(em, apiKey) : undefined;
  if (!key) throw new AppError('UNAUTHENTICATED', 'the API key is not valid');
  return {
    tenantId: key.tenant_id,
    tier: key.tier,
    role: key.role,
    ...limitsOf(key.tier, {
      requestsPerMinute: key.max_requests_per_minute,
      creditsPerMonth: key.max_monthly_credits,
    }),
    credential: { kind: 'api_key', keyId: key.id, scopes: key.scopes },
  };
}

/** One statement without entities: it precedes every request. `last_used_at` is written once a minute at most. */
async function findKey(em: EntityManager, apiKey: string): Promise<KeyRow | undefined> {
  const [key] = await em.execute<KeyRow[]>(
    `with valid as (
       select id, role, scopes, tenant_id, last_used_at from api_keys
       where key_hash = ? and revoked_at is null and (expires_at is null or expires_at > now())),
     used as (
       update api_keys set last_used_at = now() from valid where api_keys.id = valid.id
         and (valid.last_used_at is null or valid.last_used_at < now() - interval '1 minute'))
     select valid.id, valid.role, to_jsonb(valid.scopes) as scopes, valid.tenant_id,
       t.tier, t.max_requests_per_minute, t.max_monthly_credits
     from valid join tenants t on t.id = valid.tenant_id and t.is_active`,
    [hashApiKey(apiKey)],
  );
  return key;
}
