import { z } from 'zod';
import { AUDIT_EVENT_TYPES } from '../../domain/accounts/audit-events.ts';
import { instantOrDay, integerIn, page } from '../../domain/schemas/query.ts';
import type { NamedAuditEvent } from '../../services/audit-log/read-audit-log.ts';
import { componentField, count, idParam, jsonObject, pageOf, timestamp } from './fields.ts';
import { auditSeverity, auditResult } from './enums.ts';

export const auditLogParams = z.object({ log_id: idParam('Id of an entry') });

export const auditLogQuery = z.object({
  event_type: z.enum(AUDIT_EVENT_TYPES).optional().describe('Entries of this type, such as `auth.login`'),
  severity: auditSeverity.optional().describe('How much attention it deserves'),
  user_id: z.guid().toLowerCase().optional().describe('Entries of this user'),
  date_from: instantOrDay('start')
    .optional()
    .describe('Entries from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset'),
  date_to: instantOrDay('end')
    .optional()
    .describe('Entries until then; an ISO 8601 date, or date and time, in UTC unless it has an offset'),
  result: auditResult.optional().describe('Whether it was done'),
  ...page(100, 50),
});

export const auditLogEntry = z
  .object({
    id: z.uuid().describe('Id of the entry'),
    event_type: z.string().describe('What happened, such as `auth.login`'),
    event_timestamp: timestamp.describe('When it happened'),
    severity: auditSeverity.describe('How much attention it deserves'),
    user_id: z.uuid().nullable().describe('Id of the user who did it; null if it was no user'),
    api_key_id: z.string().nullable().describe('Id of the API key that did it; null if it was none'),
    actor_name: z
      .string()
      .nullable()
      .describe('Present name of the member or of the API key that did it; null if there is none any more'),
    actor_email: z.string().nullable().describe('Email address of the member who did it; null for others'),
    action: z.string().describe('The last part of the event type'),
    result: auditResult.describe('Whether it was done'),
    ip_address: z.string().nullable().describe('Address of the client; null if there was none'),
    resource_type: z
      .string()
      .nullable()
      .describe('Kind of the resource that it was done to; null without one'),
    resource_id: z.string().nullable().describe('Id of the resource that it was done to; null without one'),
    resource_name: z
      .string()
      .nullable()
      .describe('Present name of that resource; null if it has none, or is not there any more'),
    error_message: z.string().nullable().describe('Why it was not done; null if it was'),
    metadata: componentField(jsonObject, 'More, by event type; no secrets'),
  })
  .meta({ id: 'AuditLogEntry' });

export const auditLog = z
  .object({
    ...pageOf(auditLogEntry),
    total_count: count.describe('Number of entries in all pages, counted up to 10,000'),
  })
  .meta({ id: 'AuditLog' });

export const auditEventsQuery = z.object({
  after: z
    .string()
    .max(64)
    .optional()
    .describe('`next` of the response before; absent for the oldest events'),
  limit: integerIn(1, 1000).default(100).describe('Maximum number of events'),
});

export const auditEvents = z
  .object({
    items: z.array(auditLogEntry).describe('Events after the cursor, oldest first'),
    next: z
      .string()
      .nullable()
      .describe('Cursor to go on from, also where there was nothing; null if there has never been an event'),
    has_more: z.boolean().describe('Whether more can be read at once'),
  })
  .meta({ id: 'AuditEvents' });

export function presentAuditEvent(event: NamedAuditEvent): z.input<typeof auditLogEntry> {
  return {
    id: event.id,
    event_type: event.eventType,
    event_timestamp: event.occurredAt.toISOString(),
    severity: event.severity,
    user_id: event.userId ?? null,
    api_key_id: event.apiKeyId ?? null,
    actor_name: event.actor?.name ?? null,
    actor_email: event.actor?.email ?? null,
    action: event.action,
    result: event.result,
    ip_address: event.ipAddress ?? null,
    resource_type: event.resourceType ?? null,
    resource_id: event.resourceId ?? null,
    resource_name: event.resource?.name ?? null,
    error_message: event.errorMessage ?? null,
    metadata: event.metadata,
  };
}
