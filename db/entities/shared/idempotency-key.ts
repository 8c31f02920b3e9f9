import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/** An idempotent request. Kept for 24 hours. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    /** The operation's id. */
    route: p.string().primary(),
    key: p.string().length(128).primary(),
    /** SHA-256 of path and body, hex. */
    requestHash: p.string().length(64),
    /** The id of the resource that this request creates, the same for every lease holder. */
    resourceId: p.uuid(),
    /** The current lease holder; a holder that lost its lease finds another id here. */
    holder: p.uuid(),
    /** Renewed by a live holder; a crashed holder blocks others until this time. */
    leasedUntil: p.datetime(),
    /** Null while the request is in progress. */
    answeredAt: p.datetime().nullable(),
    createdAt: p.datetime().index(),
  },
});
export type IdempotencyKey = InferEntity<typeof IdempotencyKey>;
