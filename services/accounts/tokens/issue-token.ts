import type { EntityManager } from '@mikro-orm/postgresql';
import { AccountToken } from '../../../db/entities/accounts/account-token.ts';
import { TOKEN_SECONDS, type TokenKind } from '../../../domain/accounts/tokens.ts';
import { generateToken, hashToken } from './secret-token.ts';

export interface TokenFor {
  kind: TokenKind;
  userId: string;
  tenantId?: string | undefined;
  /** The mailbox that it goes to. */
  email: string;
}

/** A token to be emailed. Earlier ones of the same purpose stay valid until one of them is used: emails overtake each other. */
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

/** Takes back a token whose email could not be sent. */
export async function withdrawToken(em: EntityManager, token: string): Promise<void> {
  await em.nativeDelete(AccountToken, { tokenHash: hashToken(token) });
}
