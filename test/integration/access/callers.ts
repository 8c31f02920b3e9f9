import { randomUUID } from 'node:crypto';
import type { Orm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import type { Scope } from '../../../domain/accounts/access.ts';
import type { Role } from '../../../domain/accounts/permissions.ts';
import type { Tier } from '../../../domain/accounts/tiers.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { openLoginSession } from '../../../services/accounts/login-sessions/open-login-session.ts';

type Headers = Record<string, string>;

/** A sender of requests. */
export interface Caller {
  name: string;
  tenantId: string;
  /** The headers that authenticate it; called for every request, since some requests end their own session. */
  headers(): Promise<Headers>;
}

/** Creates callers, each in a new tenant unless one is given. */
export function createCallers(orm: Orm) {
  async function tenant(tier: Tier): Promise<string> {
    const id = randomUUID();
    await orm.em
      .fork()
      .insert(Tenant, { id, name: 'matrix', tier, maxRequestsPerMinute: -1, createdAt: new Date() });
    return id;
  }

  async function user(tenantId: string, role: Role): Promise<string> {
    const id = randomUUID();
    const em = orm.em.fork();
    const createdAt = new Date();
    await em.insert(User, {
      id,
      email: `${id}@matrix.example`,
      name: role,
      emailVerifiedAt: createdAt,
      createdAt,
    });
    await em.insert(Membership, { tenantId, userId: id, role, joinedAt: createdAt });
    return id;
  }

  return {
    async key(
      name: string,
      given: {
        role?: Role;
        tier?: Tier;
        scopes?: Scope[];
        revokedAt?: Date;
        expiresAt?: Date;
        tenantId?: string;
      } = {},
    ): Promise<Caller> {
      const { role = 'owner', tier = 'starter', scopes = null, revokedAt = null, expiresAt = null } = given;
      const tenantId = given.tenantId ?? (await tenant(tier));
      const { id, key, hash } = generateApiKey();
      await orm.em.fork().insert(ApiKey, {
        id,
        tenantId,
        name,
        keyHash: hash,
        role,
        scopes,
        revokedAt,
        expiresAt,
        createdAt: new Date(),
      });
      return { name, tenantId, headers: () => Promise.resolve({ 'X-API-Key': key }) };
    },

    async session(
      name: string,
      given: { role?: Role; tier?: Tier; tenantId?: string; expired?: 'idle' | 'old' } = {},
    ): Promise<Caller> {
      const { role = 'owner', tier = 'starter', expired } = given;
      const tenantId = given.tenantId ?? (await tenant(tier));
      const userId = await user(tenantId, role);
      const login = { userId, tenantId, userAgent: 'matrix', ipAddress: '127.0.0.1' };
      return {
        name,
        tenantId,
        async headers() {
          const em = orm.em.fork();
          const { sessionId, token } = await openLoginSession(em, login);
          const long = new Date(Date.now() - 8 * 86_400_000);
          if (expired === 'idle')
            await em.nativeUpdate(LoginSession, { id: sessionId }, { lastActivityAt: long });
          if (expired === 'old') await em.nativeUpdate(LoginSession, { id: sessionId }, { expiresAt: long });
          return { Cookie: `session=${token}` };
        },
      };
    },
  };
}
