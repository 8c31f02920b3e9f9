import type { EntityManager } from '@mikro-orm/postgresql';
import { ExternalIdentity } from '../../../db/entities/accounts/external-identity.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { checkNewPassword } from '../check-new-password.ts';
import type { PasswordWork } from '../password-work.ts';
import { tokenInvalid, useToken } from '../tokens/use-token.ts';
import { endUnprovenAccess } from '../end-unproven-access.ts';
import { markVerified } from './verify-email.ts';

export interface Acceptance {
  token: string;
  /** Needed by a user who cannot log in yet; that of any other user stays as it is. */
  password?: string | undefined;
  name?: string | undefined;
  ipAddress: string;
}

/**
 * Accepts an invitation to a tenant: the address is verified, and a user who had not verified it
 * gets a new password, and a name.
 *
 * @throws AppError TOKEN_INVALID, VALIDATION_FAILED
 */
export async function acceptInvitation(
  { em, passwords }: { em: EntityManager; passwords: PasswordWork },
  { token, password, name, ipAddress }: Acceptance,
): Promise<void> {
  if (password !== undefined) checkNewPassword(password, '');
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  await em.transactional(async (tx) => {
    const { userId, email, tenantId } = await useToken(tx, 'invitation', token);
    if (tenantId === null || !(await isMember(tx, tenantId, userId))) throw tokenInvalid();
    await endUnprovenAccess(tx, userId);
    if (!(await markVerified(tx, userId, email))) throw tokenInvalid();
    const user = await tx.findOneOrFail(User, userId);
    const isNew = !user.passwordHash && (await tx.count(ExternalIdentity, { userId })) === 0;
    if (isNew) {
      if (password === undefined || passwordHash === undefined) {
        throw invalidField('/body/password', 'choose a password to log in with');
      }
      checkNewPassword(password, email);
      await tx.nativeUpdate(User, { id: userId }, { passwordHash, ...(name !== undefined && { name }) });
    }
    await recordAuditEvent(tx, {
      tenantId,
      type: 'member.invitation_accepted',
      userId,
      ipAddress,
      resource: { type: 'user', id: userId },
    });
  });
}

/** Locked: of a removal and an acceptance at once, the second sees what the first has done. */
async function isMember(tx: EntityManager, tenantId: string, userId: string): Promise<boolean> {
  const found: unknown[] = await tx.execute(
    'select from memberships where tenant_id = ? and user_id = ? for share',
    [tenantId, userId],
  );
  return found.length > 0;
}
