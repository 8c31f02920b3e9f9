import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/core';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { notFound } from '../../../domain/app-error.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { scopesOf, type Scope } from '../../../domain/accounts/access.ts';
import { lowerRole } from '../../../domain/accounts/permissions.ts';

export interface ApiKeyListQuery {
  /** Only keys that work, or only revoked and expired ones. */
  active?: boolean | undefined;
  limit: number;
  offset: number;
}

/** One page of a tenant's keys, newest first, and the total count. */
export async function listApiKeys(
  em: EntityManager,
  tenantId: string,
  { active, limit, offset }: ApiKeyListQuery,
): Promise<{ records: ApiKeyRecord[]; totalCount: number }> {
  const now = new Date();
  const live: FilterQuery<ApiKey> = {
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
  };
  const ended: FilterQuery<ApiKey> = { $or: [{ revokedAt: { $ne: null } }, { expiresAt: { $lte: now } }] };
  const [keys, totalCount] = await em.findAndCount(
    ApiKey,
    { tenantId, ...(active === undefined ? {} : active ? live : ended) },
    { limit, offset, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  return { records: await apiKeyRecords(em, tenantId, keys), totalCount };
}

/** @throws AppError NOT_FOUND */
export async function findApiKey(em: EntityManager, tenantId: string, id: string): Promise<ApiKeyRecord> {
  const key = await em.findOne(ApiKey, { id, tenantId });
  const [record] = key ? await apiKeyRecords(em, tenantId, [key]) : [];
  if (!record) throw notFound('API key');
  return record;
}

/**
 * The key of this id, which no other transaction changes until this one ends.
 *
 * @throws AppError NOT_FOUND
 */
export async function lockApiKey(tx: EntityManager, tenantId: string, id: string): Promise<ApiKey> {
  const key = await tx.findOne(
    ApiKey,
    { id, tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (!key) throw notFound('API key');
  return key;
}

/** An API key with its effective permissions. */
export interface ApiKeyRecord {
  key: ApiKey;
  /** None once its creator is no longer a member. */
  scopes: Scope[];
}

/** The effective permissions of these keys of one tenant, limited by their creators' roles, see api-key.ts. */
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
