import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { createOwnTenant } from '../tenants/create-own-tenant.ts';

export interface NewOwner {
  /** Lower case. */
  email: string;
  /** By default the part of the address before the @. */
  name?: string | undefined;
  /** By default the name. */
  tenantName?: string | undefined;
  passwordHash: string | null;
  emailVerified: boolean;
  ipAddress: string;
  method: 'password' | 'oidc';
}

/**
 * Creates a user with a tenant of their own, in the FREE tier, in the caller's transaction.
 *
 * @returns the user's id; undefined when the email address is taken
 */
export async function createOwner(tx: EntityManager, owner: NewOwner): Promise<string | undefined> {
  const { email, ipAddress, method } = owner;
  const name = owner.name ?? email.split('@')[0] ?? email;
  const createdAt = new Date();
  // Two registrations of one address at once: the second waits here, and finds it taken.
  const [user] = await tx.execute<{ id: string }[]>(
    `insert into users (id, email, name, password_hash, email_verified_at, is_active, preferences, created_at)
     values (?, ?, ?, ?, ?, true, '{}', ?) on conflict (email) do nothing returning id`,
    [randomUUID(), email, name, owner.passwordHash, owner.emailVerified ? createdAt : null, createdAt],
  );
  if (!user) return undefined;
  const who = { userId: user.id, ipAddress };
  const tenantId = await createOwnTenant(tx, { ...who, name: owner.tenantName ?? name });
  await recordAuditEvent(tx, { ...who, tenantId, type: 'auth.register', metadata: { method } });
  return user.id;
}
