import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ROLES } from '../../../domain/accounts/permissions.ts';
import { Tenant } from './tenant.ts';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    /** The 8 characters that follow `drk_`; safe in logs. */
    id: p.string().length(8).primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    name: p.string(),
    /** SHA-256 of the whole key, hex. */
    keyHash: p.string().length(64).unique(),
    role: p.enum(ROLES),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;
