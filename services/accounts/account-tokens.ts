import type { EntityManager } from '@mikro-orm/postgresql';
import { AccountToken } from '../../db/entities/accounts/account-token.ts';
import { TOKEN_SECONDS, type TokenKind } from '../../domain/accounts/tokens.ts';
import { AppError } from '../../domain/app-error.ts';
import { createHash, randomBytes } from 'node:crypto';

interface TokenFor {
  kind: TokenKind;
  userId: string;
  tenantId?: string | undefined;
  /** The recipient's email address. */
  email: string;
}

/**
 * A token to be emailed. Earlier ones of the same purpose stay valid until one of them is used: emails overtake each
 * other.
 */
export async function issueToken(
  em: EntityManager,
  { kind, userId, tenantId, email }: TokenFor,
): Promise<string> {
  const { token, hash } = generateToken();
  const createdAt = new Date();
  await em.insert(AccountToken, {
    tokenHash: hash,
    kind,
    userId,
    tenantId: tenantId ?? null,
    email,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + TOKEN_SECONDS[kind] * 1000),
  });
  return token;
}

/** Deletes a token whose email could not be sent. */
export async function withdrawToken(em: EntityManager, token: string): Promise<void> {
  await em.nativeDelete(AccountToken, { tokenHash: hashToken(token) });
}

interface UsedToken {
  userId: string;
  /** The address it was sent to. */
  email: string;
  /** The inviting tenant; null for other kinds. */
  tenantId: string | null;
}

/**
 * Checks a token without using it: a password is hashed or validated only for the holder of a valid token.
 *
 * @throws AppError TOKEN_INVALID, with one message for every cause
 */
export async function findToken(em: EntityManager, kind: TokenKind, token: string): Promise<UsedToken> {
  const [found] = await em.execute<{ user_id: string; email: string; tenant_id: string | null }[]>(
    `select t.user_id, t.email, t.tenant_id from account_tokens t join users u on u.id = t.user_id and u.is_active
     where t.token_hash = ? and t.kind = ? and t.expires_at > now()`,
    [hashToken(token), kind],
  );
  if (!found) throw tokenInvalid();
  return { userId: found.user_id, email: found.email, tenantId: found.tenant_id };
}

/**
 * Uses a token, once, in the caller's transaction: of two requests with it, one wins. The others of its purpose and
 * user go with it.
 *
 * @throws AppError TOKEN_INVALID, with one message for every cause
 */
export async function useToken(tx: EntityManager, kind: TokenKind, token: string): Promise<UsedToken> {
  const [used] = await tx.execute<{ user_id: string; email: string; tenant_id: string | null }[]>(
    `delete from account_tokens t using users u
     where t.token_hash = ? and t.kind = ? and t.expires_at > now() and u.id = t.user_id and u.is_active
     returning t.user_id, t.email, t.tenant_id`,
    [hashToken(token), kind],
  );
  if (!used) throw tokenInvalid();
  const { user_id: userId, email, tenant_id: tenantId } = used;
  await tx.execute(
    'delete from account_tokens where user_id = ? and kind = ? and tenant_id is not distinct from ?',
    [userId, kind, tenantId],
  );
  return { userId, email, tenantId };
}

export function tokenInvalid(): AppError {
  return new AppError('TOKEN_INVALID', 'this link has expired, or was used already; ask for another one');
}

/** 256 random bits, base64url: the value of a cookie, or the token of an email. Only its hash may be stored. */
export function generateToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** SHA-256 hex. A token has 256 bits of entropy, so it needs neither a salt nor a slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
