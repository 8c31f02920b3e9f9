import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import type { Engine } from '../../../temporal/client.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { checkNewPassword } from '../check-new-password.ts';
import type { PasswordHasher } from '../password-work.ts';
import { createOwner } from './create-owner.ts';

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
 * Registers a user with a tenant of their own, who can log in once their address is verified by the email that is sent. The
 * owner of an address that is taken is told by email, the caller is not.
 *
 * @returns once the password is hashed, which takes as long for every address; what depends on the address is done in
 *   `rest`, for which an answer must not wait
 * @throws AppError VALIDATION_FAILED for a password that must not be chosen
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
  // Of several registrations before the address is verified the latest counts: an earlier one may be somebody else's.
  const { passwordHash, name } = registration;
  const own = { passwordHash, ...(name !== undefined && { name }) };
  const replaced = await em.nativeUpdate(User, { email, emailVerifiedAt: null }, own);
  const { id: userId } = await em.findOneOrFail(User, { email });
  return startAccountMail(engine, { kind: replaced > 0 ? 'verify_email' : 'existing_account', userId });
}
