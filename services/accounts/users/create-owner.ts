import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';

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
 * @returns the user's id; undefined when the e-mail address is taken
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
  const tenantId = randomUUID();
  await tx.insert(Tenant, { id: tenantId, name: owner.tenantName ?? name, tier: 'free', createdAt });
  await tx.insert(Membership, { tenantId, userId: user.id, role: 'owner', joinedAt: createdAt });
  const who = { tenantId, userId: user.id, ipAddress };
  await recordAuditEvent(tx, { ...who, type: 'tenant.created', resource: { type: 'tenant', id: tenantId } });
  await recordAuditEvent(tx, { ...who, type: 'auth.register', metadata: { method } });
  return user.id;
}
