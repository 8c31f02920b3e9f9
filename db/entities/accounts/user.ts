import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Preferences } from '../../../domain/accounts/preferences.ts';

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
    isActive: p.boolean().default(true),
    /** New address that awaits confirmation. */
    pendingEmail: p.string().nullable(),
    emailVerifiedAt: p.datetime().nullable(),
    lastLoginAt: p.datetime().nullable(),
    preferences: p.json<Preferences>().defaultRaw("'{}'"),
    createdAt: p.datetime(),
  },
});
export type User = InferEntity<typeof User>;
