import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import type { Engine } from '../../../temporal/client.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { checkNewPassword, type PasswordHasher } from '../password.ts';
import { randomUUID } from 'node:crypto';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { createOwnTenant } from '../tenants/find-tenants-of-user.ts';

export interface Registration {
  email: string;
  password: string;
  name?: string | undefined;
  tenantName?: string | undefined;
  ipAddress: string;
}

interface RegisterDeps {
  em: EntityManager;
  engine: Engine;
  passwords: PasswordHasher;
}

/**
 * Registers a user with a tenant of their own, who can log in once their address is verified by the email that is sent.
 * The owner of a taken address is notified by email; the response does not differ.
 *
 * @returns once the password is hashed, which takes as long for every address; work that depends on the address is done
 * in `rest`, which the response must not await
 * @throws AppError VALIDATION_FAILED for a password that violates the rules
 */
export async function register(
  { em, engine, passwords }: RegisterDeps,
  { password, ...registration }: Registration,
): Promise<{ rest: Promise<void> }> {
  checkNewPassword(password, registration.email);
  const passwordHash = await passwords.hash(password);
  return { rest: createOrTell({ em, engine }, { ...registration, passwordHash }) };
}

async function createOrTell(
  { em, engine }: Pick<RegisterDeps, 'em' | 'engine'>,
  { email, ...registration }: Omit<Registration, 'password'> & { passwordHash: string },
): Promise<void> {
  const created = await em.transactional((tx) =>
    createOwner(tx, { ...registration, email, emailVerified: false, method: 'password' }),
  );
  if (created) return startAccountMail(engine, { kind: 'verify_email', userId: created });
  // The latest registration before the address is verified wins: an earlier one may be another person's.
  const { passwordHash, name } = registration;
  const own = { passwordHash, ...(name !== undefined && { name }) };
  const replaced = await em.nativeUpdate(User, { email, emailVerifiedAt: null }, own);
  const { id: userId } = await em.findOneOrFail(User, { email });
  return startAccountMail(engine, { kind: replaced > 0 ? 'verify_email' : 'existing_account', userId });
}

interface NewOwner {
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
  const { ipAddress, method } = owner;
  const user = await createUser(tx, owner);
  if (!user) return undefined;
  const who = { userId: user.id, ipAddress };
  const tenantId = await createOwnTenant(tx, { ...who, name: owner.tenantName ?? user.name });
  await recordAuditEvent(tx, { ...who, tenantId, type: 'auth.register', metadata: { method } });
  return user.id;
}

/** The same without a tenant, which memberships have to follow. */
export async function createUser(
  tx: EntityManager,
  { email, ...given }: Pick<NewOwner, 'email' | 'name' | 'passwordHash' | 'emailVerified'>,
): Promise<{ id: string; name: string } | undefined> {
  const name = given.name ?? email.split('@')[0] ?? email;
  const createdAt = new Date();
  // Of two concurrent registrations of one address, the second waits here and finds it taken.
  const [user] = await tx.execute<{ id: string }[]>(
    `insert into users (id, email, name, password_hash, email_verified_at, is_active, preferences, created_at)
     values (?, ?, ?, ?, ?, true, '{}', ?) on conflict (email) do nothing returning id`,
    [randomUUID(), email, name, given.passwordHash, given.emailVerified ? createdAt : null, createdAt],
  );
  return user && { id: user.id, name };
}
