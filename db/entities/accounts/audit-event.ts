import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { AUDIT_RESULTS, AUDIT_SEVERITIES } from '../../../domain/accounts/audit-events.ts';
import { Tenant } from './tenant.ts';

/** The audit log, append-only. No foreign keys to users and keys: it outlives them. */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  // One index per filter of the list; the last one serves the removal of old entries.
  indexes: [
    { name: 'audit_events_tenant_newest', properties: ['tenantId', 'occurredAt', 'id'] },
    { name: 'audit_events_type_newest', properties: ['tenantId', 'eventType', 'occurredAt', 'id'] },
    { name: 'audit_events_user_newest', properties: ['tenantId', 'userId', 'occurredAt', 'id'] },
    { name: 'audit_events_severity_newest', properties: ['tenantId', 'severity', 'occurredAt', 'id'] },
    { name: 'audit_events_result_newest', properties: ['tenantId', 'result', 'occurredAt', 'id'] },
    { name: 'audit_events_oldest', properties: ['occurredAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    eventType: p.string().length(64),
    occurredAt: p.datetime(),
    severity: p.enum(AUDIT_SEVERITIES),
    userId: p.uuid().nullable(),
    apiKeyId: p.string().length(8).nullable(),
    /** The verb of the event type. */
    action: p.string().length(64),
    result: p.enum(AUDIT_RESULTS),
    ipAddress: p.string().length(64).nullable(),
    resourceType: p.string().length(64).nullable(),
    resourceId: p.string().nullable(),
    errorMessage: p.text().nullable(),
    metadata: p.json<Record<string, unknown>>(),
  },
});
export type AuditEvent = InferEntity<typeof AuditEvent>;
