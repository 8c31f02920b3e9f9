import { randomUUID } from 'node:crypto';
import type { Orm } from '../../db/create-orm.ts';
import { ApiKey } from '../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { generateApiKey } from '../../services/accounts/api-key.ts';
import { registerMedia } from '../../services/all-media.ts';
import { createClient, type Client, type RunInfo } from './api.ts';

// Tests that call services are their own entry points.
registerMedia();

/** A separate tenant of the highest tier, whose files a test can count. */
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
