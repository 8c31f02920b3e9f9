import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAuditEvent, type AuditRecord } from '../audit-log/record-audit-event.ts';
import { findTenantsOfUser } from './tenants/find-tenants-of-user.ts';

/**
 * Records an event of a user who is not logged in, in the tenant where they would log in. Without a tenant there is no
 * audit log to record it in.
 */
export async function recordUserEvent(
  em: EntityManager,
  record: Omit<AuditRecord, 'tenantId' | 'credential'> & { userId: string },
): Promise<void> {
  const [tenant] = await findTenantsOfUser(em, record.userId);
  if (tenant) await recordAuditEvent(em, { tenantId: tenant.id, ...record });
}
