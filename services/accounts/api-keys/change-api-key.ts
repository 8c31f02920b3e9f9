import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../actor.ts';
import { recheckAdmin } from '../tenants/recheck-admin.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { apiKeyRecords, type ApiKeyRecord } from './api-key-record.ts';
import type { NewApiKey } from './create-api-key.ts';
import { findApiKey, lockApiKey } from './find-api-keys.ts';
import { refuseExpired } from './refuse-expired.ts';

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
    await lockTenant(tx, actor.tenantId);
    await recheckAdmin(tx, actor);
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
