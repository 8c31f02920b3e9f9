import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Scope } from '../../../domain/accounts/access.ts';
import { ROLES } from '../../../domain/accounts/permissions.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  indexes: [{ name: 'api_keys_tenant_newest', properties: ['tenantId', 'createdAt', 'id'] }],
  properties: {
    /** The 8 characters that follow `drk_`; safe in logs. */
    id: p.string().length(8).primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    name: p.string(),
    /** SHA-256 of the whole key, hex. */
    keyHash: p.string().length(64).unique(),
    role: p.enum(ROLES),
    /** Null for everything that the role allows. */
    scopes: p.array<Scope>().columnType('text[]').nullable(),
    /** Null for keys that were not created by a user. A key does not outlive its user. */
    createdBy: p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('cascade').index(),
    /** Accurate to a minute. */
    lastUsedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;
