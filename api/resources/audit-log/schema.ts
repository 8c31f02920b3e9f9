import { z } from 'zod';
import { AUDIT_EVENT_TYPES, AUDIT_RESULTS, AUDIT_SEVERITIES } from '../../../domain/accounts/audit-events.ts';
import { instantOrDay, page } from '../../../domain/schemas/query.ts';
import { count, idParam, timestamp } from '../fields.ts';

export const auditLogParams = z.object({ log_id: idParam('Id of an entry') });

export const auditLogQuery = z.object({
  event_type: z.enum(AUDIT_EVENT_TYPES).optional(),
  severity: z.enum(AUDIT_SEVERITIES).optional().meta({ description: 'How much attention it deserves' }),
  user_id: z.guid().toLowerCase().optional().meta({ description: 'Entries of this user' }),
  date_from: instantOrDay('start').optional().meta({
    description: 'Entries from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset',
  }),
  date_to: instantOrDay('end').optional().meta({
    description: 'Entries until then; an ISO 8601 date, or date and time, in UTC unless it has an offset',
  }),
  result: z.enum(AUDIT_RESULTS).optional().meta({ description: 'Whether it was done' }),
  ...page(100, 50),
});

export const auditLogEntry = z
  .object({
    id: z.uuid().meta({ description: 'Id of the entry' }),
    event_type: z.string().meta({ description: 'What happened, such as `auth.login`' }),
    event_timestamp: timestamp.meta({ description: 'When it happened' }),
    severity: z.enum(AUDIT_SEVERITIES).meta({ description: 'How much attention it deserves' }),
    user_id: z.uuid().nullable().meta({ description: 'Id of the user who did it; null if it was no user' }),
    api_key_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the API key that did it; null if it was none' }),
    action: z.string().meta({ description: 'The last part of the event type' }),
    result: z.enum(AUDIT_RESULTS).meta({ description: 'Whether it was done' }),
    ip_address: z.string().nullable().meta({ description: 'Address of the client; null if there was none' }),
    resource_type: z.string().nullable().meta({ description: 'Kind of what it was done to' }),
    resource_id: z.string().nullable().meta({ description: 'Id of what it was done to' }),
    error_message: z.string().nullable().meta({ description: 'Why it was not done; null if it was' }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'More, by event type; no secrets' }),
  })
  .meta({ id: 'AuditLogEntry' });

export const auditLog = z
  .object({
    items: z.array(auditLogEntry),
    total_count: count.meta({ description: 'Number of entries in all pages, counted up to 10,000' }),
    limit: count,
    offset: count,
    has_more: z.boolean(),
  })
  .meta({ id: 'AuditLog' });
