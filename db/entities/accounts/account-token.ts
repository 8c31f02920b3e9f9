import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TOKEN_KINDS } from '../../../domain/accounts/tokens.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

/** A token that was mailed to a user. Using it deletes its row. */
export const AccountToken = defineEntity({
  name: 'AccountToken',
  tableName: 'account_tokens',
  properties: {
    /** SHA-256 of the token, hex. */
    tokenHash: p.string().length(64).primary(),
    kind: p.enum(TOKEN_KINDS),
    userId: p.manyToOne(User).mapToPk().fieldName('user_id').index(),
    /** Of an invitation. */
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').nullable(),
    /** Where it was sent: whoever has it can read that mailbox. */
    email: p.string(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
  },
});
export type AccountToken = InferEntity<typeof AccountToken>;
