import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes, randomUUID } from 'node:crypto';
import { ApiKey } from '../../db/entities/accounts/api-key.ts';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { User } from '../../db/entities/accounts/user.ts';
import { TIERS, type Tier } from '../../domain/accounts/tiers.ts';
import { generateApiKey, hashApiKey } from './api-key.ts';
import { hashPassword } from './password.ts';

export interface TenantCredentials {
  api_key: string;
  email: string;
  password: string;
}
export type SeedCredentials = Record<Tier, TenantCredentials>;
/** Override the limits of the tiers; null keeps those. */
export type SeedLimits = Pick<Tenant, 'maxRequestsPerMinute'>;

/** Whether these credentials belong to tenants of this database. */
export async function credentialsAreSeeded(
  em: EntityManager,
  credentials: SeedCredentials,
): Promise<boolean> {
  const hashes = TIERS.map((tier) => hashApiKey(credentials[tier].api_key));
  return (await em.count(ApiKey, { keyHash: { $in: hashes } })) === TIERS.length;
}

/** Creates one tenant per tier, each with an owner and an API key, and returns their credentials. */
export async function seedTenants(em: EntityManager, limits: SeedLimits): Promise<SeedCredentials> {
  const credentials: Partial<SeedCredentials> = {};
  for (const tier of TIERS) credentials[tier] = await em.transactional((tx) => seedTenant(tx, tier, limits));
  return credentials as SeedCredentials;
}

async function seedTenant(em: EntityManager, tier: Tier, limits: SeedLimits): Promise<TenantCredentials> {
  const createdAt = new Date();
  const tenantId = randomUUID();
  const userId = randomUUID();
  const password = randomBytes(12).toString('base64url');
  const email = `owner-${tenantId.slice(0, 8)}@${tier}.example`;
  const { id, key, hash } = generateApiKey();
  await em.insert(Tenant, { id: tenantId, name: `${tier} tenant`, tier, ...limits, createdAt });
  await em.insert(User, {
    id: userId,
    email,
    name: 'Owner',
    passwordHash: await hashPassword(password),
    emailVerifiedAt: createdAt,
    createdAt,
  });
  await em.insert(Membership, { tenantId, userId, role: 'owner', joinedAt: createdAt });
  await em.insert(ApiKey, { id, tenantId, name: 'seeded', keyHash: hash, role: 'owner', createdAt });
  return { api_key: key, email, password };
}
