import { findAuditEvent, listAuditEvents } from '../../../services/audit-log/read-audit-log.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  auditLog,
  auditLogEntry,
  auditLogParams,
  auditLogQuery,
  presentAuditEvent,
} from '../../resources/audit-log.ts';

export const auditLogRoutes = [
  route({
    method: 'get',
    path: '/tenant/audit-logs',
    operationId: 'listAuditLogs',
    summary: 'List the security-relevant events of the account, newest first',
    tag: 'Tenant',
    permit: 'audit-log.read',
    query: auditLogQuery,
    responses: json(200, auditLog),
    async handle({ em, principal, query: { limit, offset, ...query } }) {
      const filter = {
        eventType: query.event_type,
        severity: query.severity,
        userId: query.user_id,
        result: query.result,
        from: query.date_from,
        to: query.date_to,
      };
      const page = await listAuditEvents(em, principal.tenantId, filter, { limit, offset });
      const items = page.events.map(presentAuditEvent);
      return { items, total_count: page.totalCount, limit, offset, has_more: page.hasMore };
    },
  }),

  route({
    method: 'get',
    path: '/tenant/audit-logs/:log_id',
    operationId: 'getAuditLog',
    summary: 'One event of the audit log',
    tag: 'Tenant',
    permit: 'audit-log.read',
    params: auditLogParams,
    responses: json(200, auditLogEntry),
    errors: ['NOT_FOUND'],
    handle: ({ em, principal, params }) => findAuditEvent(em, principal.tenantId, params.log_id),
    present: presentAuditEvent,
  }),
];
