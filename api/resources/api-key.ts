import { z } from 'zod';
import { MAX_API_KEY_NAME_LENGTH } from '../../domain/limits.ts';
import { optional, displayName } from '../../domain/schemas/text.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import type { ApiKeyRecord } from '../../services/accounts/api-keys/find-api-keys.ts';
import type { CreatedApiKey } from '../../services/accounts/api-keys/create-api-key.ts';
import { createdAt, pageOf, timestamp } from './fields.ts';
import { keyScope } from './enums.ts';

/** An unknown id is answered like a malformed one, so it is not validated. */
export const apiKeyParams = z.object({
  key_id: z.string().meta({
    override: { type: 'string', pattern: '^[0-9a-zA-Z]{8}$' },
    description: 'Id of the key: the 8 characters after `drk_`',
  }),
});

const name = displayName(MAX_API_KEY_NAME_LENGTH).describe('Purpose of the key');
const scopes = z
  .array(keyScope)
  .min(1, 'must have a scope; leave it out for all')
  .max(100, 'each scope once')
  .transform((all) => [...new Set(all)])
  .nullish()
  .describe('What the key may do; null: all that the role of its creator allows');
const expiresAt = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .nullish()
  .describe('When the key stops working, in the future; null: never');

export const apiKeyBody = z.strictObject({ name, scopes, expires_at: expiresAt });

export const apiKeyPatch = z.strictObject({
  name: optional(name).describe('Purpose of the key'),
  scopes,
  expires_at: expiresAt,
});

export const apiKeyQuery = z.object({
  active: flag.optional().describe('Only keys that are neither revoked nor expired; false: only the others'),
  ...page(100, 20),
});

export const apiKey = z
  .object({
    id: z.string().describe('The 8 characters after `drk_`; safe in logs'),
    name,
    key_hint: z.string().describe('The beginning of the key, to recognise it by'),
    scopes: z
      .array(keyScope)
      .describe('What the key may do, at most what its creator may; empty once they are no longer a member'),
    expires_at: timestamp.nullable().describe('When it stops working; null if it does not expire'),
    last_used_at: timestamp
      .nullable()
      .describe('When it was last used, accurate to a minute; null if it was not'),
    created_by: z.uuid().nullable().describe('Id of the user who created it; null without one'),
    created_at: createdAt,
    revoked_at: timestamp.nullable().describe('When it was revoked; null if it was not'),
  })
  .meta({ id: 'ApiKey' });

export const createdApiKey = apiKey
  .extend({ key: z.string().describe('The key; it is shown only here') })
  .meta({ id: 'CreatedApiKey' });

export const apiKeyList = z.object(pageOf(apiKey)).meta({ id: 'ApiKeyList' });

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
