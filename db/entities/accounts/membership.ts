import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ROLES } from '../../../domain/accounts/permissions.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    userId: p.manyToOne(User).mapToPk().primary().fieldName('user_id'),
    role: p.enum(ROLES),
    /** The issuer whose groups give the role and take it away, and whose logins alone lead here; null for an invitation. */
    grantedBy: p.string().length(500).nullable(),
    joinedAt: p.datetime(),
    /** When the user was last active in this tenant, accurate to a minute; null before the first time. */
    lastActiveAt: p.datetime().nullable(),
  },
});
export type Membership = InferEntity<typeof Membership>;
