import type { EntityManager } from '@mikro-orm/postgresql';
import type { OidcProvider } from '../../../adapters/oidc/oidc-provider.ts';
import { OidcFlow } from '../../../db/entities/accounts/oidc-flow.ts';
import { OIDC_FLOW_SECONDS } from '../../../domain/accounts/login.ts';
import { generateToken } from '../tokens/secret-token.ts';
import { asAppError } from './as-app-error.ts';

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
