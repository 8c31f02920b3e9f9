import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../principal.ts';
import { lockTenantAsAdmin } from '../tenants/lock-tenant.ts';
import { apiKeyRecords, findApiKey, lockApiKey, type ApiKeyRecord } from './find-api-keys.ts';
import { refuseExpired, type NewApiKey } from './create-api-key.ts';

const LIVE = 'created_by = ? and revoked_at is null and (expires_at is null or expires_at > now())';

/**
 * Changes the given fields of a key that works. Takes effect with its next request.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND, API_KEY_ENDED, VALIDATION_FAILED
 */
export async function changeApiKey(
  em: EntityManager,
  actor: Actor,
  id: string,
  changes: Partial<NewApiKey>,
): Promise<ApiKeyRecord> {
  refuseExpired(changes.expiresAt);
  const fields = Object.keys(changes);
  if (fields.length === 0) return findApiKey(em, actor.tenantId, id);
  return em.transactional(async (tx) => {
    await lockTenantAsAdmin(tx, actor);
    const key = await lockApiKey(tx, actor.tenantId, id);
    // An expired key stays expired: it may have been given up, and it no longer counts.
    if (key.revokedAt || (key.expiresAt && key.expiresAt <= new Date())) {
      throw new AppError('API_KEY_ENDED', 'the key is revoked or has expired; create another one');
    }
    tx.assign(key, changes);
    await recordAuditEvent(tx, {
      ...actor,
      type: 'api_key.changed',
      resource: { type: 'api_key', id },
      metadata: {
        changed: fields.map((field) => (field === 'expiresAt' ? 'expires_at' : field)),
        ...(changes.scopes !== undefined && { scopes: changes.scopes }),
        ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt?.toISOString() ?? null }),
      },
    });
    const [record] = await apiKeyRecords(tx, actor.tenantId, [key]);
    return record ?? { key, scopes: [] };
  });
}

/**
 * Revokes a key: no replica accepts it from then on. The record stays. Idempotent.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function revokeApiKey(em: EntityManager, actor: Actor, id: string): Promise<ApiKeyRecord> {
  return em.transactional(async (tx) => {
    await lockTenantAsAdmin(tx, actor);
    const key = await lockApiKey(tx, actor.tenantId, id);
    if (!key.revokedAt) {
      key.revokedAt = new Date();
      await recordAuditEvent(tx, { ...actor, type: 'api_key.revoked', resource: { type: 'api_key', id } });
    }
    const [record] = await apiKeyRecords(tx, actor.tenantId, [key]);
    return record ?? { key, scopes: [] };
  });
}

/** The keys that a user has created and that still work, in all tenants. */
export async function countApiKeysOfUser(em: EntityManager, userId: string): Promise<number> {
  const [counted] = await em.execute<{ live: number }[]>(
    `select count(*)::int as live from api_keys where ${LIVE}`,
    [userId],
  );
  return counted?.live ?? 0;
}

/**
 * Revokes the keys that a user has created, in all tenants.
 *
 * @returns those that worked until now
 */
export async function revokeApiKeysOfUser(
  tx: EntityManager,
  userId: string,
): Promise<{ id: string; tenantId: string }[]> {
  return tx.execute(
    `update api_keys set revoked_at = now() where ${LIVE} returning id, tenant_id as "tenantId"`,
    [userId],
  );
}
