import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Orm } from '../../db/create-orm.ts';
import { ApiKey } from '../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { generateApiKey } from '../../services/accounts/api-key.ts';
import { registerMedia } from '../../services/all-media.ts';
import { createClient, type Client, type RunInfo } from './api.ts';

// Entry points register the media; tests that call services are entry points.
registerMedia();

/** A separate tenant of the highest tier, so that a test can count its files. */
export interface OwnTenant {
  tenantId: string;
  apiKey: string;
  client: Client;
}

/** Creates a tenant in this database, with a client for this stack. */
export async function createOwnTenant(orm: Orm, run: RunInfo): Promise<OwnTenant> {
  const tenantId = randomUUID();
  const { id, key, hash } = generateApiKey();
  const createdAt = new Date();
  const em = orm.em.fork();
  await em.insert(Tenant, {
    id: tenantId,
    name: 'test',
    tier: 'enterprise',
    maxRequestsPerMinute: -1,
    createdAt,
  });
  await em.insert(ApiKey, { id, tenantId, name: 'test', keyHash: hash, role: 'owner', createdAt });
  return { tenantId, apiKey: key, client: createClient(run, key) };
}

/** An entity manager restricted to the files and variants of a tenant, for audits, which otherwise read all tenants. */
export function entityManagerFor(orm: Orm, tenantId: string): EntityManager {
  const em = orm.em.fork();
  em.addFilter({ name: 'ownFiles', entity: StoredFile, cond: { tenantId }, default: true });
  const own = { objectKey: { $like: `tenants/${tenantId}/%` } };
  em.addFilter({ name: 'ownVariants', entity: FileVariant, cond: own, default: true });
  return em;
}
