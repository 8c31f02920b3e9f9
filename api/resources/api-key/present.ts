import type { z } from 'zod';
import type { ApiKeyRecord } from '../../../services/accounts/api-keys/api-key-record.ts';
import type { CreatedApiKey } from '../../../services/accounts/api-keys/create-api-key.ts';
import type { apiKey, createdApiKey } from './schema.ts';

export function presentApiKey({ key, scopes }: ApiKeyRecord): z.input<typeof apiKey> {
  return {
    id: key.id,
    name: key.name,
    key_hint: `drk_${key.id}_…`,
    scopes,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_by: key.createdBy ?? null,
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

/** The only answer with the key itself. */
export function presentCreatedApiKey(created: CreatedApiKey): z.input<typeof createdApiKey> {
  return { ...presentApiKey(created), key: created.secret };
}
