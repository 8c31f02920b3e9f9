import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import { AppError, invalidField } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { loginOf, type Principal } from '../principal.ts';
import type { PasswordHasher } from '../password.ts';
import { tokenInvalid, useToken } from '../account-tokens.ts';
import type { ClientInfo } from '../login-sessions/open-login-session.ts';
import { provePassword } from './change-password.ts';

/**
 * Records the caller's new address. It takes effect when its email is confirmed; a later request
 * replaces it.
 *
 * @throws AppError WRONG_PASSWORD, NO_PASSWORD, VALIDATION_FAILED for the current address
 */
export async function requestEmailChange(
  deps: { em: EntityManager; passwords: PasswordHasher },
  principal: Principal,
  { email, password, client }: { email: string; password: string; client: ClientInfo },
): Promise<void> {
  const { userId, tenantId } = loginOf(principal);
  const user = await provePassword(deps, principal, {
    password,
    client,
    reason: 'user.email_change_requested',
  });
  if (user.email === email) throw invalidField('/body/new_email', 'is your address already');
  await deps.em.transactional(async (tx) => {
    await tx.nativeUpdate(User, { id: userId }, { pendingEmail: email });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.email_change_requested',
      credential: principal.credential,
      ipAddress: client.ipAddress,
    });
  });
}

/**
 * Changes the address of the caller by the token that was emailed to the new one.
 *
 * @throws AppError TOKEN_INVALID, also for a token of another user; EMAIL_IN_USE
 */
export async function confirmEmailChange(
  em: EntityManager,
  principal: Principal,
  { token, ipAddress }: { token: string; ipAddress: string },
): Promise<void> {
  const login = loginOf(principal);
  await em.transactional(async (tx) => {
    const { userId, email } = await useToken(tx, 'change_email', token);
    if (userId !== login.userId || !(await replaceEmail(tx, userId, email))) throw tokenInvalid();
    await recordAuditEvent(tx, {
      tenantId: login.tenantId,
      type: 'user.email_changed',
      credential: principal.credential,
      ipAddress,
    });
  });
}

/** @returns false when the user has requested another address since */
async function replaceEmail(tx: EntityManager, userId: string, email: string): Promise<boolean> {
  try {
    const changed: unknown[] = await tx.execute(
      `update users set email = pending_email, pending_email = null, email_verified_at = now()
       where id = ? and pending_email = ? returning 1`,
      [userId, email],
    );
    return changed.length > 0;
  } catch (cause) {
    if (!(cause instanceof UniqueConstraintViolationException)) throw cause;
    throw new AppError('EMAIL_IN_USE', 'another user has this email address', {}, { cause });
  }
}
