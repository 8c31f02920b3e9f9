import { randomUUID } from 'node:crypto';
import type { Orm } from '../../db/create-orm.ts';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { User } from '../../db/entities/accounts/user.ts';
import type { Role } from '../../domain/accounts/permissions.ts';
import type { Tier } from '../../domain/accounts/tiers.ts';
import { openLoginSession } from '../../services/accounts/login-sessions/open-login-session.ts';
import { createClient, type Client, type RunInfo } from './api.ts';

/** A logged-in user. */
export interface LoggedIn {
  tenantId: string;
  userId: string;
  email: string;
  sessionId: string;
  /** The value of the `Cookie` header. */
  cookie: string;
  client: Client;
}

export interface LoginOptions {
  /** Tier of a new tenant without a rate limit; `enterprise` by default. */
  tier?: Tier;
  /** `owner` by default. */
  role?: Role;
  /** An existing tenant to join instead. */
  tenantId?: string;
  /** True by default. */
  emailVerified?: boolean;
  /** Columns of a new tenant. */
  tenant?: Partial<Pick<Tenant, 'maxRequestsPerMinute' | 'maxMonthlyCredits' | 'allowedVlmProviders'>>;
}

/** Creates a logged-in user directly in the database, as a member of a new tenant or of a given one. */
export async function logIn(
  orm: Orm,
  run: Pick<RunInfo, 'api_url' | 'api_key'>,
  options: LoginOptions = {},
): Promise<LoggedIn> {
  const { tier = 'enterprise', role = 'owner', emailVerified = true } = options;
  const em = orm.em.fork();
  const createdAt = new Date();
  const tenantId = options.tenantId ?? randomUUID();
  if (!options.tenantId) {
    const own = { maxRequestsPerMinute: -1, ...options.tenant };
    await em.insert(Tenant, { id: tenantId, name: 'test', tier, ...own, createdAt });
  }
  const userId = randomUUID();
  const email = `${role}-${userId.slice(0, 8)}@example.org`;
  await em.insert(User, {
    id: userId,
    email,
    name: `The ${role}`,
    emailVerifiedAt: emailVerified ? createdAt : null,
    createdAt,
  });
  await em.insert(Membership, { tenantId, userId, role, joinedAt: createdAt });
  return { tenantId, userId, email, ...(await openSession(orm, run, { tenantId, userId })) };
}

/** Opens another session of an existing member. */
export async function openSession(
  orm: Orm,
  run: Pick<RunInfo, 'api_url' | 'api_key'>,
  { tenantId, userId }: Pick<LoggedIn, 'tenantId' | 'userId'>,
): Promise<Pick<LoggedIn, 'sessionId' | 'cookie' | 'client'>> {
  const place = { userAgent: 'test', ipAddress: '127.0.0.1' };
  const { sessionId, token } = await openLoginSession(orm.em.fork(), { userId, tenantId, ...place });
  // The cookie's name on plain http.
  const cookie = `session=${token}`;
  return { sessionId, cookie, client: createClient(run, { Cookie: cookie }) };
}
