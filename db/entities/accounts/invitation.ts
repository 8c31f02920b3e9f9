import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ASSIGNABLE_ROLES } from '../../../domain/accounts/permissions.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

/** An invitation of a user to a tenant. Accepting it replaces the row by a membership. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    userId: p.manyToOne(User).mapToPk().primary().fieldName('user_id').index(),
    role: p.enum(ASSIGNABLE_ROLES),
    createdAt: p.datetime(),
  },
});
export type Invitation = InferEntity<typeof Invitation>;
