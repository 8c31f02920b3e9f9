import { readLimits } from '../../../services/accounts/tenants/read-limits.ts';
import {
  changeTenantSettings,
  readTenantSettings,
} from '../../../services/accounts/tenants/tenant-settings.ts';
import { actorOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import {
  presentLimits,
  presentTenantSettings,
  tenantLimits,
  tenantPatch,
  tenantSettings,
} from '../../resources/tenant.ts';
import {
  findAuditEvent,
  followAuditLog,
  listAuditEvents,
} from '../../../services/audit-log/read-audit-log.ts';
import {
  auditEvents,
  auditEventsQuery,
  auditLog,
  auditLogEntry,
  auditLogParams,
  auditLogQuery,
  presentAuditEvent,
} from '../../resources/audit-log.ts';

export const tenantSettingsRoutes = [
  route({
    method: 'get',
    path: '/tenant/settings',
    operationId: 'getTenantSettings',
    summary: 'Settings of the account',
    tag: 'Tenant',
    permit: 'tenant.read',
    answers: { 200: tenantSettings },
    handle: async ({ em, deps, principal }) => ({
      ...(await readTenantSettings(em, principal.tenantId)),
      missingModels: deps.missingModels(),
    }),
    present: presentTenantSettings,
  }),

  route({
    method: 'patch',
    path: '/tenant/settings',
    operationId: 'changeTenantSettings',
    summary: 'Change settings of the account',
    tag: 'Tenant',
    permit: 'tenant.manage',
    limit: { requests: 10, per: 'minute' },
    body: tenantPatch,
    answers: { 200: tenantSettings },
    handle: async ({ ctx, em, deps, principal, body }) => ({
      ...(await changeTenantSettings(em, actorOf({ ctx, principal }), {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.allowed_vlm_providers !== undefined && { allowedVlmProviders: body.allowed_vlm_providers }),
        ...(body.page_layout !== undefined && { pageLayout: body.page_layout }),
        ...(body.allowed_domains !== undefined && { allowedDomains: body.allowed_domains ?? [] }),
        ...(body.session_hours !== undefined && { sessionHours: body.session_hours }),
        ...(body.retention_days !== undefined && { retentionDays: body.retention_days }),
        ...(body.trash_days !== undefined && { trashDays: body.trash_days }),
        ...(body.custom_config !== undefined && { customConfig: body.custom_config ?? {} }),
      })),
      missingModels: deps.missingModels(),
    }),
    present: presentTenantSettings,
  }),

  route({
    method: 'get',
    path: '/tenant/limits',
    operationId: 'getTenantLimits',
    summary: 'Limits of the account, and what remains of them',
    tag: 'Tenant',
    permit: 'usage.read',
    answers: { 200: tenantLimits },
    handle: ({ em, principal }) => readLimits(em, principal),
    present: presentLimits,
  }),
];

export const auditLogRoutes = [
  route({
    method: 'get',
    path: '/tenant/audit-logs',
    operationId: 'listAuditLogs',
    summary: 'List the security-relevant events of the account, newest first',
    tag: 'Tenant',
    permit: 'audit-log.read',
    query: auditLogQuery,
    answers: { 200: auditLog },
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
    answers: { 200: auditLogEntry },
    errors: ['NOT_FOUND'],
    handle: ({ em, principal, params }) => findAuditEvent(em, principal.tenantId, params.log_id),
    present: presentAuditEvent,
  }),

  route({
    method: 'get',
    path: '/audit-events',
    operationId: 'followAuditLog',
    summary: 'Follow the audit log of the account, oldest first, with an API key',
    description:
      'For systems that collect such logs: repeat it with `after`, the `next` of the response before, and wait while ' +
      '`has_more` is false. An event appears ten seconds after it happened, so that none is passed over.',
    tag: 'Tenant',
    permit: 'audit.read',
    query: auditEventsQuery,
    answers: { 200: auditEvents },
    handle: ({ em, principal: { tenantId }, query }) => followAuditLog(em, { tenantId, ...query }),
    present: ({ events, next, hasMore }) => ({
      items: events.map(presentAuditEvent),
      next: next ?? null,
      has_more: hasMore,
    }),
  }),
];
