import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import type { AssignableRole } from '../../domain/accounts/permissions.ts';
import {
  configuredProviders,
  isSameIssuer,
  type OidcConfig,
  type OidcProviderSettings,
  vouchesFor,
} from './config.ts';

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
  /** The groups of the user, if groups give roles. */
  groups: ReadonlySet<string>;
}

/** An OpenID provider, with the authorization code flow and PKCE. */
export interface OidcProvider extends Pick<OidcProviderSettings, 'id' | 'name'> {
  /** Roles in tenants for members of a group, or for everybody. */
  grants: readonly { tenantId: string; role: AssignableRole; group: string | undefined }[];
  /** @param email in lower case */
  vouchesFor(email: string): boolean;
  isIssuer(issuer: string): boolean;
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

/** The configured providers by id, whose metadata are fetched at the first login. */
export function createOidcProviders(config: OidcConfig): ReadonlyMap<string, OidcProvider> {
  const { PUBLIC_BASE_URL: base } = config;
  if (!base) return new Map();
  return new Map(configuredProviders(config).map((each) => [each.id, createOidcProvider(each, base)]));
}

/** Whether a configured provider has this issuer. */
export function isConfigured(providers: ReadonlyMap<string, OidcProvider>, issuer: string): boolean {
  return [...providers.values()].some((each) => each.isIssuer(issuer));
}

function createOidcProvider(settings: OidcProviderSettings, base: URL): OidcProvider {
  const { id, name, issuer } = settings;
  const callback = new URL(`/api/v2${settings.callbackPath}`, base);
  let known: Promise<Configuration> | undefined;

  function metadata(): Promise<Configuration> {
    // A failed discovery is tried again by the next login.
    known ??= discovery(new URL(issuer), settings.client_id, settings.client_secret, undefined, {
      timeout: TIMEOUT_SECONDS,
      ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
    }).catch((error: unknown) => {
      known = undefined;
      throw new OidcError('the identity provider cannot be reached', { unreachable: true, cause: error });
    });
    return known;
  }

  return {
    id,
    name,
    grants: settings.grants.map(({ tenant_id: tenantId, role, group }) => ({ tenantId, role, group })),
    vouchesFor: (email) => vouchesFor(settings, email),
    isIssuer: (other) => isSameIssuer(other, issuer),

    async begin() {
      const checks = {
        state: randomState(),
        nonce: randomNonce(),
        codeVerifier: randomPKCECodeVerifier(),
      };
      const url = buildAuthorizationUrl(await metadata(), {
        redirect_uri: callback.href,
        scope: settings.scope,
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
        let claims: Claims | undefined = tokens.claims();
        if (!claims) throw new Error('there is no ID token');
        const { iss, sub } = claims as { iss: string; sub: string };
        const needed = [
          'email',
          ...(settings.emails_are_verified ? [] : ['email_verified']),
          ...(needsGroups(settings) ? [settings.groups_claim] : []),
        ];
        if (
          needed.some((claim) => claims?.[claim] === undefined) &&
          provider.serverMetadata().userinfo_endpoint
        ) {
          // Some providers keep the ID token small. What it says counts.
          const { email_verified: isVerified, ...info } = await fetchUserInfo(
            provider,
            tokens.access_token,
            sub,
          );
          const email = claims['email'] ?? info.email;
          claims = { ...info, ...(email === info.email && { email_verified: isVerified }), ...claims };
        }
        const { email_verified: verified } = claims;
        return {
          issuer: iss,
          subject: sub,
          email: text(claims['email']),
          emailVerified: verified === true || (settings.emails_are_verified && verified === undefined),
          name: text(claims['name']),
          groups: needsGroups(settings) ? groupsOf(claims, settings.groups_claim) : new Set(),
        };
      } catch (error) {
        throw error instanceof OidcError ? error : toOidcError(error);
      }
    },
  };
}

type Claims = Record<string, unknown>;

function needsGroups({ grants }: OidcProviderSettings): boolean {
  return grants.some(({ group }) => group !== undefined);
}

/**
 * The groups of a user; none if the claim is absent, since providers leave out an empty one.
 *
 * @throws OidcError if the provider keeps groups back because they are too many: not knowing them must take no role away
 */
function groupsOf(claims: Claims, name: string): ReadonlySet<string> {
  const value = claims[name];
  const elsewhere = claims['_claim_names'];
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name);
  if (value === undefined && (isElsewhere || claims['hasgroups'] !== undefined)) {
    throw refused('you are in too many groups for the identity provider to tell: it has to send fewer');
  }
  const groups = typeof value === 'string' ? [value] : (value ?? []);
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
    throw refused(`the identity provider sends a claim "${name}" that is no list of groups`);
  }
  return new Set(groups);
}

function refused(message: string): OidcError {
  return new OidcError(message, { unreachable: false });
}

function text(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

function toOidcError(error: unknown): OidcError {
  const { code, status, cause } = error as { code?: string; status?: number; cause?: unknown };
  const answered = cause instanceof Response ? cause.status : (status ?? 0);
  const unreachable =
    code === 'OAUTH_TIMEOUT' || answered >= 500 || isFetchFailure(error) || isFetchFailure(cause);
  const message = unreachable
    ? 'the identity provider cannot be reached'
    : 'the identity provider did not confirm the login';
  return new OidcError(message, { unreachable, cause: error });
}

/** Thrown by fetch. */
function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}
