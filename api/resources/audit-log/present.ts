import type { z } from 'zod';
import type { AuditEvent } from '../../../db/entities/accounts/audit-event.ts';
import type { auditLogEntry } from './schema.ts';

export function presentAuditEvent(event: AuditEvent): z.input<typeof auditLogEntry> {
  return {
    id: event.id,
    event_type: event.eventType,
    event_timestamp: event.occurredAt.toISOString(),
    severity: event.severity,
    user_id: event.userId ?? null,
    api_key_id: event.apiKeyId ?? null,
    action: event.action,
    result: event.result,
    ip_address: event.ipAddress ?? null,
    resource_type: event.resourceType ?? null,
    resource_id: event.resourceId ?? null,
    error_message: event.errorMessage ?? null,
    metadata: event.metadata,
  };
}
