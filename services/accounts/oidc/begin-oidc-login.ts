import type { EntityManager } from '@mikro-orm/postgresql';
import { OidcError, type OidcProvider } from '../../../adapters/oidc/oidc-provider.ts';
import { OidcFlow } from '../../../db/entities/accounts/oidc-flow.ts';
import { OIDC_FLOW_SECONDS } from '../../../domain/accounts/login.ts';
import { generateToken } from '../account-tokens.ts';
import { AppError } from '../../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 10;

/**
 * Begins a login at the identity provider.
 *
 * @returns where to send the browser, and the cookie that binds the login to it
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function beginOidcLogin(
  em: EntityManager,
  provider: OidcProvider,
): Promise<{ url: URL; cookie: string }> {
  const { url, checks } = await provider.begin().catch(asAppError);
  const { token, hash } = generateToken();
  const expiresAt = new Date(Date.now() + OIDC_FLOW_SECONDS * 1000);
  await em.insert(OidcFlow, { cookieHash: hash, ...checks, expiresAt });
  return { url, cookie: token };
}

/** Says to the client what went wrong at the identity provider. Throws anything else as it is. */
export function asAppError(error: unknown): never {
  if (!(error instanceof OidcError)) throw error;
  if (!error.unreachable) throw identityRejected(error.message, error);
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw new AppError('SERVICE_UNAVAILABLE', `${error.message}; try again`, details, { cause: error });
}

export function identityRejected(reason: string, cause?: unknown): AppError {
  return new AppError('IDENTITY_REJECTED', `${reason}; start the login again`, {}, { cause });
}
