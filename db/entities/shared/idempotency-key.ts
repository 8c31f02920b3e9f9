import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/** A request that may be sent again, and what it was answered. Kept for 24 hours. */
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
    /** The id of whatever this request creates, the same for everybody who works on it. */
    resourceId: p.uuid(),
    /** Names who works on it; who comes too late finds another. */
    holder: p.uuid(),
    /** A holder that lives puts this off again and again; one that died blocks others until then. */
    leasedUntil: p.datetime(),
    /** Null while it is in flight. */
    responseStatus: p.integer().nullable(),
    responseBody: p.json<unknown>().nullable(),
    createdAt: p.datetime().index(),
  },
});
export type IdempotencyKey = InferEntity<typeof IdempotencyKey>;
