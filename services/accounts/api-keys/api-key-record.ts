import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { scopesOf, type Scope } from '../../../domain/accounts/access.ts';
import { lowerRole } from '../../../domain/accounts/permissions.ts';

/** An API key, and what it may do now. */
export interface ApiKeyRecord {
  key: ApiKey;
  /** None once its creator is no longer a member. */
  scopes: Scope[];
}

/** What these keys of one tenant may do now: as much as their creators may, see resolve-api-key.ts. */
export async function apiKeyRecords(
  em: EntityManager,
  tenantId: string,
  keys: readonly ApiKey[],
): Promise<ApiKeyRecord[]> {
  const creators = keys.flatMap(({ createdBy }) => createdBy ?? []);
  const members = await em.find(
    Membership,
    { tenantId, userId: { $in: [...new Set(creators)] } },
    { refresh: true },
  );
  const roles = new Map(members.map(({ userId, role }) => [userId, role]));
  return keys.map((key) => {
    const creatorRole = key.createdBy ? roles.get(key.createdBy) : key.role;
    return { key, scopes: creatorRole ? scopesOf(lowerRole(key.role, creatorRole), key.scopes ?? null) : [] };
  });
}
