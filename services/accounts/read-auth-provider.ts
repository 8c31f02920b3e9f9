import type { EntityManager } from '@mikro-orm/postgresql';
import { ExternalIdentity } from '../../db/entities/accounts/external-identity.ts';
import type { User } from '../../db/entities/accounts/user.ts';
import { authProvider, type AuthProvider } from '../../domain/accounts/auth-provider.ts';

/** How the user can log in. */
export async function readAuthProvider(em: EntityManager, user: User): Promise<AuthProvider> {
  const identities = await em.count(ExternalIdentity, { userId: user.id });
  return authProvider({ password: Boolean(user.passwordHash), identity: identities > 0 });
}
