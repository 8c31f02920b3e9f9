import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TOKEN_KINDS } from '../../../domain/accounts/tokens.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

/** A single-use token sent by email. Using it deletes its row. */
export const AccountToken = defineEntity({
  name: 'AccountToken',
  tableName: 'account_tokens',
  properties: {
    /** SHA-256 of the token, hex. */
    tokenHash: p.string().length(64).primary(),
    kind: p.enum(TOKEN_KINDS),
    userId: p.manyToOne(User).mapToPk().fieldName('user_id').index(),
    /** Tenant of an invitation. */
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').nullable(),
    /** The recipient: possession of the token proves access to that mailbox. */
    email: p.string(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
  },
});
export type AccountToken = InferEntity<typeof AccountToken>;
