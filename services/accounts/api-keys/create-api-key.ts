import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import type { Scope } from '../../../domain/accounts/access.ts';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { AppError, invalidField, notFound } from '../../../domain/app-error.ts';
import { MAX_LIVE_API_KEYS } from '../../../domain/limits.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { tenantDisabled, type Actor } from '../principal.ts';
import { generateApiKey } from '../api-key.ts';
import { lockTenant, lockTenantAsAdmin } from '../tenants/lock-tenant.ts';
import { apiKeyRecords, type ApiKeyRecord } from './find-api-keys.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';

export interface NewApiKey {
  name: string;
  /** Null for everything that the role of the creator allows. */
  scopes: Scope[] | null;
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
}

/** Includes the plaintext key, which is not stored. */
export interface CreatedApiKey extends ApiKeyRecord {
  secret: string;
}

/**
 * Creates an API key with the role of its creator.
 *
 * @throws AppError FORBIDDEN, API_KEY_LIMIT, VALIDATION_FAILED
 */
export async function createApiKey(
  em: EntityManager,
  actor: Actor,
  wanted: NewApiKey,
): Promise<CreatedApiKey> {
  refuseExpired(wanted.expiresAt);
  return em.transactional(async (tx) => {
    const role = await lockTenantAsAdmin(tx, actor);
    await refuseTooManyKeys(tx, actor.tenantId);
    const { id, secret } = await insertKey(tx, actor, role, wanted);
    await recordAuditEvent(tx, {
      ...actor,
      type: 'api_key.created',
      resource: { type: 'api_key', id },
      metadata: { scopes: wanted.scopes, expires_at: wanted.expiresAt?.toISOString() ?? null },
    });
    const key = await tx.findOneOrFail(ApiKey, id);
    const [record] = await apiKeyRecords(tx, actor.tenantId, [key]);
    return { key, scopes: record?.scopes ?? [], secret };
  });
}

/** @throws AppError API_KEY_LIMIT */
export async function refuseTooManyKeys(tx: EntityManager, tenantId: string): Promise<void> {
  const [counted] = await tx.execute<{ live: number }[]>(
    `select count(*)::int as live from api_keys
     where tenant_id = ? and revoked_at is null and (expires_at is null or expires_at > now())`,
    [tenantId],
  );
  if ((counted?.live ?? 0) < MAX_LIVE_API_KEYS) return;
  throw new AppError(
    'API_KEY_LIMIT',
    `an account has at most ${MAX_LIVE_API_KEYS} live keys; revoke one first`,
  );
}

/** Inserts a key with a new secret. @param userId null for a key created by an operator */
export async function insertKey(
  tx: EntityManager,
  { tenantId, userId }: { tenantId: string; userId: string | null },
  role: Role,
  { name, scopes, expiresAt }: NewApiKey,
): Promise<{ id: string; secret: string }> {
  for (;;) {
    const { id, key, hash } = generateApiKey();
    // The 32 bits of an id may be taken.
    const [inserted] = await tx.execute<{ id: string }[]>(
      `insert into api_keys (id, tenant_id, name, key_hash, role, scopes, created_by, created_at, expires_at)
       values (?, ?, ?, ?, ?, ?::text[], ?, now(), ?) on conflict (id) do nothing returning id`,
      [id, tenantId, name, hash, role, scopes && `{${scopes.join(',')}}`, userId, expiresAt],
    );
    if (inserted) return { id, secret: key };
  }
}

/** @throws AppError VALIDATION_FAILED when a key would be expired from the beginning */
export function refuseExpired(expiresAt: Date | null | undefined, now = new Date()): void {
  if (expiresAt && expiresAt <= now) throw invalidField('/body/expires_at', 'must be in the future');
}

/**
 * Creates an API key of a tenant for an operator. It belongs to no member, so it stays valid when a member leaves.
 *
 * @param scopes null for all actions open to keys
 * @returns the plaintext key, which is not stored
 * @throws AppError NOT_FOUND, TENANT_DISABLED, INSUFFICIENT_TIER, API_KEY_LIMIT
 */
export async function createOperatorKey(
  em: EntityManager,
  tenantId: string,
  { name, scopes }: { name: string; scopes: Scope[] | null },
): Promise<string> {
  return em.transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    const tenant = await tx.findOne(Tenant, { id: tenantId, deletedAt: null });
    if (!tenant) throw notFound('tenant');
    if (!tenant.isActive) throw tenantDisabled();
    if (!TIER_LIMITS[tenant.tier].apiAccess) {
      throw new AppError(
        'INSUFFICIENT_TIER',
        `API keys do not work in the tier ${tenant.tier}; raise it with npm run admin -- set-tier`,
      );
    }
    await refuseTooManyKeys(tx, tenantId);
    const owner = { tenantId, userId: null };
    const { id, secret } = await insertKey(tx, owner, 'owner', { name, scopes, expiresAt: null });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'api_key.created',
      resource: { type: 'api_key', id },
      metadata: { by: 'operator', scopes, expires_at: null },
    });
    return secret;
  });
}
