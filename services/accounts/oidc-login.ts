import type { EntityManager } from '@mikro-orm/postgresql';
import {
  OidcError,
  type OidcProvider,
  type OidcChecks,
  type OidcIdentity,
} from '../../adapters/oidc/oidc-provider.ts';
import { OidcFlow } from '../../db/entities/accounts/oidc-flow.ts';
import { OIDC_FLOW_SECONDS } from '../../domain/accounts/login.ts';
import { generateToken, hashToken } from './account-tokens.ts';
import { AppError } from '../../domain/app-error.ts';
import { ExternalIdentity } from '../../db/entities/accounts/external-identity.ts';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { User } from '../../db/entities/accounts/user.ts';
import { MAX_NAME_LENGTH } from '../../domain/accounts/preferences.ts';
import { email as emailSchema } from '../../domain/schemas/addresses.ts';
import type { AccountMail } from '../../temporal/contract/account-mail.ts';
import { enterTenant, type Entered } from './login-sessions/enter-tenant.ts';
import { recordUserEvent } from './tenants/find-tenants-of-user.ts';
import { revokeUnverifiedAccess, markVerified } from './users/verify-email.ts';
import { createOwner, createUser } from './users/register.ts';
import { grantedRoles, grantMemberships } from './members/grant-memberships.ts';
import type { ClientInfo } from './login-sessions/open-login-session.ts';

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
  await em.insert(OidcFlow, { cookieHash: hash, provider: provider.id, ...checks, expiresAt });
  return { url, cookie: token };
}

/** Converts a failure of the identity provider to an AppError. Rethrows other errors. */
function asAppError(error: unknown): never {
  if (!(error instanceof OidcError)) throw error;
  if (!error.unreachable) throw identityRejected(error.message, error);
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw new AppError('SERVICE_UNAVAILABLE', `${error.message}; try again`, details, { cause: error });
}

function identityRejected(reason: string, cause?: unknown): AppError {
  return new AppError('IDENTITY_REJECTED', `${reason}; start the login again`, {}, { cause });
}

interface OidcReturn {
  /** Query of the callback, including `code` and `state`. */
  query: string;
  /** The cookie of the start; absent in another browser. */
  cookie: string | undefined;
  previousToken: string | undefined;
  client: ClientInfo;
}

/**
 * Finishes a login at the identity provider: logs in the user of this identity, or registers a new one. An identity
 * that is new here counts only if the provider has verified its address: a claimed address must neither give access to
 * an account nor reveal that it exists. Groups at the provider may give memberships, and take them away; then nobody
 * gets in without one.
 *
 * @param providers that are configured
 * @param provider whose address of return was called; the login must have begun there
 * @returns the login, and an email to send
 * @throws AppError IDENTITY_REJECTED, SERVICE_UNAVAILABLE, MEMBER_LIMIT; and as `enterTenant`
 */
export async function finishOidcLogin(
  { em, providers }: { em: EntityManager; providers: ReadonlyMap<string, OidcProvider> },
  provider: OidcProvider,
  { query, cookie, previousToken, client }: OidcReturn,
): Promise<{ entered: Entered; mail: AccountMail | undefined }> {
  const checks = cookie === undefined ? undefined : await takeFlow(em, provider.id, cookie);
  if (!checks) throw identityRejected('this login was not started in this browser, or took too long');
  const identity = await provider.finish(query, checks).catch(asAppError);
  const { issuer, groups } = identity;
  const { userId, mail } = await em.transactional((tx) => findOrCreateUser(tx, provider, identity, client));
  // Without grants too: what this issuer gave before they left the settings has to end.
  const granted = { userId, issuer, groups, providers, ipAddress: client.ipAddress };
  const full = await grantMemberships(em, provider.grants, granted);
  if (provider.grants.length > 0 && (await em.count(Membership, { userId })) === 0) throw full ?? noGroup();
  const entered = await enterTenant(em, { userId, method: 'oidc', issuer, client, previousToken });
  return { entered, mail };
}

/** Consumes the checks of a login; they are valid once, and for the provider where it began. */
async function takeFlow(
  em: EntityManager,
  provider: string,
  cookie: string,
): Promise<OidcChecks | undefined> {
  const [flow] = await em.execute<(OidcChecks & { provider: string })[]>(
    `delete from oidc_flows where cookie_hash = ? and expires_at > now()
     returning provider, state, nonce, code_verifier as "codeVerifier"`,
    [hashToken(cookie)],
  );
  return flow?.provider === provider ? flow : undefined;
}

function noGroup(): AppError {
  return new AppError(
    'IDENTITY_REJECTED',
    'you are in no group that has access here: ask who runs your identity provider, then start the login again',
  );
}

async function findOrCreateUser(
  tx: EntityManager,
  provider: OidcProvider,
  identity: OidcIdentity,
  client: ClientInfo,
): Promise<{ userId: string; mail: AccountMail | undefined }> {
  const { issuer, subject } = identity;
  // Serializes concurrent callbacks of one new user.
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`oidc/${issuer}/${subject}`]);
  const known = await tx.findOne(ExternalIdentity, { issuer, subject });
  if (known) {
    const active = await tx.count(User, { id: known.userId, isActive: true, emailVerifiedAt: { $ne: null } });
    if (active === 0) throw identityRejected('this account cannot log in');
    return { userId: known.userId, mail: undefined };
  }
  const email = emailSchema.safeParse(identity.email).data;
  if (email === undefined) throw identityRejected('the identity provider does not tell your email address');
  if (!identity.emailVerified) {
    throw identityRejected(
      'the identity provider has not verified your email address: verify it there first',
    );
  }
  if (!provider.vouchesFor(email)) {
    throw identityRejected('this identity provider does not vouch for addresses of your domain');
  }
  const ipAddress = client.ipAddress;
  const user = {
    email,
    name: identity.name?.trim().slice(0, MAX_NAME_LENGTH) || undefined,
    passwordHash: null,
    emailVerified: true,
  };
  // Somebody who must get in by a group gets no account of their own.
  const needsGroup = provider.grants.length > 0;
  if (needsGroup && grantedRoles(provider.grants, identity.groups).size === 0) {
    if ((await tx.count(User, { email })) === 0) throw noGroup();
  }
  const created = needsGroup
    ? (await createUser(tx, user))?.id
    : await createOwner(tx, { ...user, ipAddress, method: 'oidc' });
  const userId = created ?? (await takeUserOf(tx, email));
  await tx.insert(ExternalIdentity, { issuer, subject, userId, createdAt: new Date() });
  if (created) return { userId, mail: undefined };
  await recordUserEvent(tx, { type: 'auth.identity_linked', userId, ipAddress, metadata: { issuer } });
  return { userId, mail: { kind: 'identity_linked', userId } };
}

/**
 * The user with this address, which the provider has verified. If it was unverified here, another person may have
 * registered it in advance: their access is revoked.
 */
async function takeUserOf(tx: EntityManager, email: string): Promise<string> {
  const { id } = await tx.findOneOrFail(User, { email });
  await revokeUnverifiedAccess(tx, id);
  await markVerified(tx, id, email);
  return id;
}
