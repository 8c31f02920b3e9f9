import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import type { AuthProvider } from '../../../domain/accounts/auth-provider.ts';
import { findTenantsOfUser, type TenantOfUser } from '../tenants/find-tenants-of-user.ts';
import { readAuthProvider } from '../read-auth-provider.ts';
import { sessionEnded } from './resolve-login-session.ts';
import type { CurrentLogin } from './login-of.ts';

/** Who is logged in, and where they can act. */
export interface LoginRecord {
  session: LoginSession;
  user: User;
  authProvider: AuthProvider;
  /** The one that the session acts in. */
  tenant: TenantOfUser;
  /** All of the user. */
  tenants: TenantOfUser[];
}

/** @throws AppError UNAUTHENTICATED when it was revoked meanwhile */
export async function readLogin(
  em: EntityManager,
  { userId, sessionId }: Pick<CurrentLogin, 'userId' | 'sessionId'>,
): Promise<LoginRecord> {
  const session = await em.findOne(LoginSession, sessionId, { refresh: true });
  const user = await em.findOneOrFail(User, userId, { refresh: true });
  const tenants = await findTenantsOfUser(em, userId);
  const tenant = tenants.find(({ id }) => id === session?.tenantId);
  if (!session || !tenant) throw sessionEnded();
  return { session, user, authProvider: await readAuthProvider(em, user), tenant, tenants };
}
