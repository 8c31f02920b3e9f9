import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../actor.ts';
import { recheckAdmin } from '../tenants/recheck-admin.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { apiKeyRecords, type ApiKeyRecord } from './api-key-record.ts';
import { lockApiKey } from './find-api-keys.ts';

/**
 * Revokes a key: no replica accepts it from then on. The record stays. Idempotent.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function revokeApiKey(em: EntityManager, actor: Actor, id: string): Promise<ApiKeyRecord> {
  return em.transactional(async (tx) => {
    await lockTenant(tx, actor.tenantId);
    await recheckAdmin(tx, actor);
    const key = await lockApiKey(tx, actor.tenantId, id);
    if (!key.revokedAt) {
      key.revokedAt = new Date();
      await recordAuditEvent(tx, { ...actor, type: 'api_key.revoked', resource: { type: 'api_key', id } });
    }
    const [record] = await apiKeyRecords(tx, actor.tenantId, [key]);
    return record ?? { key, scopes: [] };
  });
}
