import type { EntityManager } from '@mikro-orm/postgresql';
import { ExternalIdentity } from '../../../db/entities/accounts/external-identity.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import type { AssignableRole } from '../../../domain/accounts/permissions.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { checkNewPassword, type PasswordHasher } from '../password.ts';
import { findToken, tokenInvalid, useToken } from '../account-tokens.ts';
import { revokeUnverifiedAccess, markVerified } from './verify-email.ts';

export interface Acceptance {
  token: string;
  /** Required for a user who cannot log in yet; ignored for others. */
  password?: string | undefined;
  name?: string | undefined;
  ipAddress: string;
}

/**
 * Accepts an invitation to a tenant, which makes the user a member: the address is verified, and a user who had not
 * verified it gets a new password, and a name.
 *
 * @throws AppError TOKEN_INVALID, VALIDATION_FAILED
 */
export async function acceptInvitation(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  { token, password, name, ipAddress }: Acceptance,
): Promise<void> {
  const found = await findToken(em, 'invitation', token);
  if (password !== undefined) checkNewPassword(password, found.email);
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  await em.transactional(async (tx) => {
    const { userId, email, tenantId } = found;
    // The membership before the token: the same lock order as a removal.
    if (tenantId === null || !(await join(tx, tenantId, userId))) throw tokenInvalid();
    await useToken(tx, 'invitation', token);
    await revokeUnverifiedAccess(tx, userId);
    if (!(await markVerified(tx, userId, email))) throw tokenInvalid();
    const user = await tx.findOneOrFail(User, userId);
    const isNew = !user.passwordHash && (await tx.count(ExternalIdentity, { userId })) === 0;
    if (isNew) {
      if (passwordHash === undefined)
        throw invalidField('/body/password', 'choose a password to log in with');
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

/**
 * Replaces the invitation by a membership.
 *
 * @returns false when it was withdrawn, or its tenant deleted
 */
async function join(tx: EntityManager, tenantId: string, userId: string): Promise<boolean> {
  // A login whose groups give the same membership waits here, and so does deleting the tenant.
  await lockTenant(tx, tenantId);
  const open: unknown[] = await tx.execute('select from tenants where id = ? and is_active', [tenantId]);
  const [invitation] = await tx.execute<{ role: AssignableRole }[]>(
    'delete from invitations where tenant_id = ? and user_id = ? returning role',
    [tenantId, userId],
  );
  if (open.length === 0 || !invitation) return false;
  await tx.execute('insert into memberships (tenant_id, user_id, role, joined_at) values (?, ?, ?, now())', [
    tenantId,
    userId,
    invitation.role,
  ]);
  return true;
}
