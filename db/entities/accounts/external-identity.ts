import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { User } from './user.ts';

/** A user's identity at an external identity provider. */
export const ExternalIdentity = defineEntity({
  name: 'ExternalIdentity',
  tableName: 'external_identities',
  properties: {
    issuer: p.string().length(500).primary(),
    /** Unique and never reassigned at its issuer, unlike an email address. */
    subject: p.string().primary(),
    userId: p.manyToOne(User).mapToPk().fieldName('user_id').index(),
    createdAt: p.datetime(),
  },
});
export type ExternalIdentity = InferEntity<typeof ExternalIdentity>;
