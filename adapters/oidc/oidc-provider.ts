import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import type { OidcConfig } from './config.ts';

const TIMEOUT_SECONDS = 10;

/** Values to keep from the start of a login to its return. */
export interface OidcChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The identity confirmed by the provider. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  email: string | undefined;
  /** Whether the provider has verified the address. */
  emailVerified: boolean;
  name: string | undefined;
}

/** An OpenID provider, with the authorization code flow and PKCE. */
export interface OidcProvider {
  /** @throws OidcError */
  begin(): Promise<{ url: URL; checks: OidcChecks }>;
  /**
   * Exchanges the code of a return and validates the ID token: signature, issuer, audience, expiry, nonce.
   *
   * @param query of the return
   * @throws OidcError
   */
  finish(query: string, checks: OidcChecks): Promise<OidcIdentity>;
}

export class OidcError extends Error {
  override readonly name = 'OidcError';
  /** True if the provider could not be reached; false if the login was refused. */
  readonly unreachable: boolean;

  constructor(message: string, options: { unreachable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.unreachable = options.unreachable;
  }
}

/** The configured provider, whose metadata are fetched at the first login; undefined if none is configured. */
export function createOidcProvider(config: OidcConfig): OidcProvider | undefined {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: secret,
    PUBLIC_BASE_URL: base,
  } = config;
  if (!issuer || !clientId || !secret || !base) return undefined;
  const callback = new URL('/api/v2/auth/oidc/callback', base);
  let known: Promise<Configuration> | undefined;

  function metadata(): Promise<Configuration> {
    // A failed discovery is tried again by the next login.
    known ??= discovery(new URL(issuer ?? ''), clientId ?? '', secret, undefined, {
      timeout: TIMEOUT_SECONDS,
      ...(issuer?.startsWith('http:') && { execute: [allowInsecureRequests] }),
    }).catch((error: unknown) => {
      known = undefined;
      throw new OidcError('the identity provider cannot be reached', { unreachable: true, cause: error });
    });
    return known;
  }

  return {
    async begin() {
      const checks = {
        state: randomState(),
        nonce: randomNonce(),
        codeVerifier: randomPKCECodeVerifier(),
      };
      const url = buildAuthorizationUrl(await metadata(), {
        redirect_uri: callback.href,
        scope: 'openid email profile',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, checks };
    },

    async finish(query, { state, nonce, codeVerifier }) {
      const returned = new URL(callback);
      returned.search = query;
      const provider = await metadata();
      try {
        const tokens = await authorizationCodeGrant(provider, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('there is no ID token');
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: text(claims['email']),
          emailVerified: claims['email_verified'] === true,
          name: text(claims['name']),
        };
      } catch (error) {
        throw toOidcError(error);
      }
    },
  };
}

function text(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

function toOidcError(error: unknown): OidcError {
  const { code, cause } = error as { code?: string; cause?: unknown };
  // Thrown by fetch.
  const unreachable = code === 'OAUTH_TIMEOUT' || isFetchFailure(error) || isFetchFailure(cause);
  const message = unreachable
    ? 'the identity provider cannot be reached'
    : 'the identity provider did not confirm the login';
  return new OidcError(message, { unreachable, cause: error });
}

function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}
