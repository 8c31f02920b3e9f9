import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

/** A login session of a user. Revoking it deletes its row. */
export const LoginSession = defineEntity({
  name: 'LoginSession',
  tableName: 'login_sessions',
  properties: {
    id: p.uuid().primary(),
    userId: p.manyToOne(User).mapToPk().fieldName('user_id').index(),
    /** The tenant that the user acts in. */
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    /** SHA-256 of the cookie's value, hex. */
    tokenHash: p.string().length(64).unique(),
    userAgent: p.string().length(500),
    ipAddress: p.string().length(64),
    /** The issuer that confirmed the login; null for a password. */
    issuer: p.string().length(500).nullable(),
    createdAt: p.datetime(),
    /** Accurate to a minute. */
    lastActivityAt: p.datetime(),
    /** The latest end of the session; an idle one ends earlier. */
    expiresAt: p.datetime().index(),
  },
});
export type LoginSession = InferEntity<typeof LoginSession>;
