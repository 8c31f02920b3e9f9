import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    /** Lower case. */
    email: p.string().unique(),
    name: p.string(),
    /** argon2id, see services/accounts/password.ts. Null for users of an external identity provider. */
    passwordHash: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
export type User = InferEntity<typeof User>;
