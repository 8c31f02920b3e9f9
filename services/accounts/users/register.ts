import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountMail } from '../../../temporal/contract/account-mail.ts';
import { checkNewPassword } from '../check-new-password.ts';
import type { PasswordWork } from '../password-work.ts';
import { createOwner } from './create-owner.ts';
import { findMailRecipient } from './find-mail-recipient.ts';

export interface Registration {
  email: string;
  password: string;
  name?: string | undefined;
  tenantName?: string | undefined;
  ipAddress: string;
}

/**
 * Registers a user with a tenant of their own. The work is the same for an address that is taken: its user is told by
 * mail, the caller is not.
 *
 * @returns the mail to send
 * @throws AppError VALIDATION_FAILED for a password that must not be chosen
 */
export async function register(
  { em, passwords }: { em: EntityManager; passwords: PasswordWork },
  { password, ...registration }: Registration,
): Promise<AccountMail> {
  const { email } = registration;
  checkNewPassword(password, email);
  const passwordHash = await passwords.hash(password);
  const created = await em.transactional((tx) =>
    createOwner(tx, { ...registration, passwordHash, emailVerified: false, method: 'password' }),
  );
  if (created) return { kind: 'verify_email', userId: created };
  return { kind: 'existing_account', userId: await findMailRecipient(em, email) };
}
