import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from '../files/stored-file.ts';
import { Tenant } from '../accounts/tenant.ts';

/** A link by which people without an account see and download one file, until a date. */
export const FileShare = defineEntity({
  name: 'FileShare',
  tableName: 'file_shares',
  indexes: [{ name: 'file_shares_of_file', properties: ['fileId', 'createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').deleteRule('cascade').index(false),
    fileId: p.manyToOne(StoredFile).mapToPk().fieldName('file_id').deleteRule('cascade').index(false),
    /** SHA-256 of the token, hex. The token is in the link alone. */
    tokenHash: p.string().length(64).unique(),
    /** Who made it: a person or an API key. */
    userId: p.uuid().nullable(),
    apiKeyId: p.string().length(8).nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    openedCount: p.integer().default(0),
    lastOpenedAt: p.datetime().nullable(),
  },
});
export type FileShare = InferEntity<typeof FileShare>;
