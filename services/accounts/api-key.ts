import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Scope } from '../../domain/accounts/access.ts';
import { lowerRole, type Role } from '../../domain/accounts/permissions.ts';
import { limitsOf } from '../../domain/accounts/tiers.ts';
import { AppError } from '../../domain/app-error.ts';
import { tenantDisabled, type Principal, type TenantLimitColumns } from './principal.ts';

/** `drk_<8-character id>_<43-character secret>`: the id is safe in logs, the secret is 256 random bits. */
const API_KEY = /^drk_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

/** A new key; only its hash may be stored. */
export function generateApiKey(): { id: string; key: string; hash: string } {
  const id = randomBytes(4).toString('hex');
  const key = `drk_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: hashApiKey(key) };
}

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** SHA-256 hex. A key has 256 bits of entropy, so it needs neither a salt nor a slow hash. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

interface KeyRow extends TenantLimitColumns {
  id: string;
  is_active: boolean;
  role: Role;
  /** Null for keys created by an operator. */
  creator_role: Role | null;
  scopes: Scope[] | null;
  tenant_id: string;
}

/**
 * The principal of an API key. Its role is that of the key or the present one of its creator, whichever is lower; a key
 * whose creator is no longer an active member is not valid. Read from the database every time, so that a revocation, a
 * removal and a change of role take effect at once on every replica.
 *
 * @throws AppError UNAUTHENTICATED, with one message for every cause; TENANT_DISABLED
 */
export async function resolveApiKey(em: EntityManager, apiKey: string): Promise<Principal> {
  const key = isApiKey(apiKey) ? await findKey(em, apiKey) : undefined;
  if (!key) throw new AppError('UNAUTHENTICATED', 'the API key is not valid');
  if (!key.is_active) throw tenantDisabled();
  return {
    tenantId: key.tenant_id,
    tier: key.tier,
    role: key.creator_role ? lowerRole(key.role, key.creator_role) : key.role,
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
       select k.id, k.role, k.scopes, k.tenant_id, k.last_used_at, m.role as creator_role,
         t.is_active, t.tier, t.max_requests_per_minute, t.max_monthly_credits
       from api_keys k
         join tenants t on t.id = k.tenant_id and t.deleted_at is null
         left join users u on u.id = k.created_by and u.is_active
         left join memberships m on m.tenant_id = k.tenant_id and m.user_id = u.id
       where k.key_hash = ? and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
         and (k.created_by is null or m.role is not null)),
     used as (
       update api_keys set last_used_at = now() from valid where api_keys.id = valid.id
         and (valid.last_used_at is null or valid.last_used_at < now() - interval '1 minute'))
     select id, role, creator_role, to_jsonb(scopes) as scopes, tenant_id,
       is_active, tier, max_requests_per_minute, max_monthly_credits
     from valid`,
    [hashApiKey(apiKey)],
  );
  return key;
}
