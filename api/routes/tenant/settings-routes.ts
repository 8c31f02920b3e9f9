import { readLimits } from '../../../services/accounts/tenants/read-limits.ts';
import {
  changeTenantSettings,
  readTenantSettings,
} from '../../../services/accounts/tenants/tenant-settings.ts';
import { actorOf } from '../../http/actor.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  presentLimits,
  presentTenantSettings,
  tenantLimits,
  tenantPatch,
  tenantSettings,
} from '../../resources/tenant.ts';

export const tenantSettingsRoutes = [
  route({
    method: 'get',
    path: '/tenant/settings',
    operationId: 'getTenantSettings',
    summary: 'Settings of the account',
    tag: 'Tenant',
    permit: 'tenant.read',
    responses: json(200, tenantSettings),
    handle: ({ em, principal }) => readTenantSettings(em, principal.tenantId),
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
    responses: json(200, tenantSettings),
    handle: ({ ctx, em, principal, body }) =>
      changeTenantSettings(em, actorOf({ ctx, principal }), {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.allowed_vlm_providers !== undefined && { allowedVlmProviders: body.allowed_vlm_providers }),
        ...(body.allowed_domains !== undefined && { allowedDomains: body.allowed_domains ?? [] }),
        ...(body.custom_config !== undefined && { customConfig: body.custom_config ?? {} }),
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
    responses: json(200, tenantLimits),
    handle: ({ em, principal }) => readLimits(em, principal),
    present: presentLimits,
  }),
];
