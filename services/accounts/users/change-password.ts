import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import type { AuditEventType } from '../../../domain/accounts/audit-events.ts';
import { RECENT_LOGIN_SECONDS } from '../../../domain/accounts/login.ts';
import { AppError, invalidField } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { checkNewPassword, type PasswordHasher } from '../password.ts';
import { loginOf, type Principal } from '../principal.ts';
import { openLoginSession, type ClientInfo } from '../login-sessions/open-login-session.ts';

interface PasswordDeps {
  em: EntityManager;
  passwords: PasswordHasher;
}

/**
 * Changes the password of the caller. All sessions end; the caller continues in a new one.
 *
 * @returns the token for the cookie
 * @throws AppError WRONG_PASSWORD, NO_PASSWORD, VALIDATION_FAILED
 */
export async function changePassword(
  { em, passwords }: PasswordDeps,
  principal: Principal,
  { current, next, client }: { current: string; next: string; client: ClientInfo },
): Promise<string> {
  const { userId, tenantId, sessionId } = loginOf(principal);
  const user = await provePassword({ em, passwords }, principal, {
    password: current,
    client,
    reason: 'user.password_changed',
  });
  checkNewPassword(next, user.email, '/body/new_password');
  const passwordHash = await passwords.hash(next);
  return em.transactional(async (tx) => {
    // Compares with the verified hash, so that only one of two concurrent changes succeeds.
    const changed = await tx.nativeUpdate(
      User,
      { id: userId, passwordHash: user.passwordHash },
      { passwordHash },
    );
    if (changed === 0) throw wrongPassword();
    const session = await tx.findOne(LoginSession, sessionId);
    await tx.nativeDelete(LoginSession, { userId });
    const { token } = await openLoginSession(tx, { userId, tenantId, issuer: session?.issuer, ...client });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.password_changed',
      credential: principal.credential,
      ipAddress: client.ipAddress,
    });
    return token;
  });
}

/**
 * Sets the first password of a user who logs in through an identity provider, and has done so just now.
 *
 * @throws AppError PASSWORD_EXISTS, VALIDATION_FAILED, LOGIN_TOO_OLD
 */
export async function setInitialPassword(
  { em, passwords }: PasswordDeps,
  principal: Principal,
  { password, ipAddress }: { password: string; ipAddress: string },
): Promise<void> {
  const { userId, tenantId } = loginOf(principal);
  const user = await em.findOneOrFail(User, userId);
  if (user.passwordHash) throw passwordExists();
  await requireRecentLogin(em, principal);
  checkNewPassword(password, user.email, '/body');
  const passwordHash = await passwords.hash(password);
  await em.transactional(async (tx) => {
    const set = await tx.nativeUpdate(User, { id: userId, passwordHash: null }, { passwordHash });
    if (set === 0) throw passwordExists();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.password_set',
      credential: principal.credential,
      ipAddress,
    });
  });
}

/**
 * The caller, after verifying their password.
 *
 * @param reason the audit event recorded for a wrong password
 *
 * @throws AppError WRONG_PASSWORD, NO_PASSWORD
 */
export async function provePassword(
  { em, passwords }: PasswordDeps,
  principal: Principal,
  { password, client, reason }: { password: string; client: ClientInfo; reason: AuditEventType },
): Promise<User> {
  const { userId, tenantId } = loginOf(principal);
  const user = await em.findOneOrFail(User, userId);
  if (!user.passwordHash) throw new AppError('NO_PASSWORD', 'set an initial password first');
  if (await passwords.verify(password, user.passwordHash)) return user;
  await recordAuditEvent(em, {
    tenantId,
    type: reason,
    result: 'failure',
    credential: principal.credential,
    ipAddress: client.ipAddress,
    errorMessage: 'wrong password',
  });
  throw wrongPassword();
}

/**
 * The caller, who is more than the holder of a cookie: verified by the password or, without one, by a recent login.
 *
 * @param proof.password required of users who have one
 * @param proof.reason the audit event recorded for a wrong password
 *
 * @throws AppError WRONG_PASSWORD, VALIDATION_FAILED without a password, LOGIN_TOO_OLD
 */
export async function proveUser(
  deps: PasswordDeps,
  principal: Principal,
  proof: { password: string | undefined; client: ClientInfo; reason: AuditEventType },
): Promise<User> {
  const user = await deps.em.findOneOrFail(User, loginOf(principal).userId);
  if (!user.passwordHash) {
    await requireRecentLogin(deps.em, principal);
    return user;
  }
  const { password } = proof;
  if (password === undefined) throw invalidField('/body/password', 'is required: the current password');
  return provePassword(deps, principal, { ...proof, password });
}

async function requireRecentLogin(em: EntityManager, principal: Principal): Promise<void> {
  const { createdAt } = await em.findOneOrFail(LoginSession, loginOf(principal).sessionId);
  if (Date.now() - createdAt.getTime() <= RECENT_LOGIN_SECONDS * 1000) return;
  throw new AppError('LOGIN_TOO_OLD', 'sign out and in again, then repeat this within ten minutes');
}

function wrongPassword(): AppError {
  return new AppError('WRONG_PASSWORD', 'the current password is wrong');
}

function passwordExists(): AppError {
  return new AppError(
    'PASSWORD_EXISTS',
    'there is a password already; change it with POST /user/change-password',
  );
}
