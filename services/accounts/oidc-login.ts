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
import { User } from '../../db/entities/accounts/user.ts';
import { MAX_NAME_LENGTH } from '../../domain/accounts/preferences.ts';
import { email as emailSchema } from '../../domain/schemas/addresses.ts';
import type { AccountMail } from '../../temporal/contract/account-mail.ts';
import { enterTenant, type Entered } from './login-sessions/enter-tenant.ts';
import { recordUserEvent } from './tenants/find-tenants-of-user.ts';
import { revokeUnverifiedAccess, markVerified } from './users/verify-email.ts';
import { createOwner } from './users/register.ts';
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
  await em.insert(OidcFlow, { cookieHash: hash, ...checks, expiresAt });
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
 * an account nor reveal that it exists.
 *
 * @returns the login, and an email to send
 * @throws AppError IDENTITY_REJECTED, SERVICE_UNAVAILABLE; and as `enterTenant`
 */
export async function finishOidcLogin(
  em: EntityManager,
  provider: OidcProvider,
  { query, cookie, previousToken, client }: OidcReturn,
): Promise<{ entered: Entered; mail: AccountMail | undefined }> {
  const checks = cookie === undefined ? undefined : await takeFlow(em, cookie);
  if (!checks) throw identityRejected('this login was not started in this browser, or took too long');
  const identity = await provider.finish(query, checks).catch(asAppError);
  const { userId, mail } = await em.transactional((tx) => findOrCreateUser(tx, identity, client));
  const entered = await enterTenant(em, { userId, method: 'oidc', client, previousToken });
  return { entered, mail };
}

/** Consumes the checks of a login; they are valid once. */
async function takeFlow(em: EntityManager, cookie: string): Promise<OidcChecks | undefined> {
  const [flow] = await em.execute<{ state: string; nonce: string; code_verifier: string }[]>(
    'delete from oidc_flows where cookie_hash = ? and expires_at > now() returning state, nonce, code_verifier',
    [hashToken(cookie)],
  );
  return flow && { state: flow.state, nonce: flow.nonce, codeVerifier: flow.code_verifier };
}

async function findOrCreateUser(
  tx: EntityManager,
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
  const ipAddress = client.ipAddress;
  const created = await createOwner(tx, {
    email,
    name: identity.name?.trim().slice(0, MAX_NAME_LENGTH) || undefined,
    passwordHash: null,
    emailVerified: true,
    ipAddress,
    method: 'oidc',
  });
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
