import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TIERS } from '../../../domain/accounts/tiers.ts';

export const Tenant = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    tier: p.enum(TIERS),
    createdAt: p.datetime(),
  },
});
export type Tenant = InferEntity<typeof Tenant>;
