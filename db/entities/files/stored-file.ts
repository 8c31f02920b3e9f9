import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { COMPLIANCE_STATUSES } from '../../../domain/compliance.ts';
import type { Components } from '../../../domain/components.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * What files of all media have, and the projection of their processing. `components`, `primaryStatus`, `generation` and `seq` follow the
 * workflow: a write counts only when its (generation, seq) is higher, so late writers change nothing.
 *
 * Each step of each file writes `seq`, `components`, `primaryStatus` and `updatedAt`, so no index may have them: then
 * Postgres rewrites the row alone (HOT). The table also has generated columns and indexes for lists and search, which
 * only its migration knows: `has_description`, `search_all`, `search_metadata`, `search_visible`, `search_names`.
 */
export const StoredFile = defineEntity({
  name: 'StoredFile',
  tableName: 'files',
  indexes: [
    { name: 'files_tenant_sha', properties: ['tenantId', 'sha256'] },
    {
      name: 'files_session',
      expression: 'create index "files_session" on "files" ("session_id") where "session_id" is not null',
    },
    {
      name: 'files_engine_due',
      expression:
        'create index "files_engine_due" on "files" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'files_deleted',
      expression:
        'create index "files_deleted" on "files" ("deleted_at", "id") where "deleted_at" is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    mediaType: p.enum(MEDIA_TYPES),
    contentType: p.string(),
    format: p.string(),
    filename: p.string(),
    title: p.string().nullable(),
    tags: p.array(),
    contentCategory: p.enum(CONTENT_CATEGORIES),
    sizeBytes: p.bigint('number'),
    sha256: p.string().length(64),
    objectKey: p.text(),
    options: p.json<UploadOptions>(),
    /** The upload session that it came with. */
    sessionId: p.uuid().nullable(),

    contentCreatedAt: p.datetime().nullable(),
    /** What recognition read, line by line; null where it read nothing. */
    visibleText: p.text().nullable(),

    /** What a person wrote; wins over `uploadDescription` in lists and search. */
    userDescription: p.text().nullable(),
    uploadDescription: p.text().nullable(),
    describedAt: p.datetime().nullable(),

    complianceStatus: p.enum(COMPLIANCE_STATUSES).default('not_checked'),

    generation: p.integer(),
    /** How many of the generations somebody asked for; the others are the first, and those of restores. */
    retries: p.integer().default(0),
    seq: p.integer(),
    /** The engine's run that began this generation last. */
    runId: p.uuid().nullable(),
    components: p.json<Components>(),
    primaryStatus: p.enum(PRIMARY_STATUSES),
    /** When a run first worked on this generation; null for one that was never begun. */
    workflowStartedAt: p.datetime().nullable(),
    /**
     * Since when the engine has something to do for this row that it may not know of: work to start or stop, an entry in
     * the similarity index to update. Set with the change, cleared once the engine was told; the sweep takes what stays.
     */
    engineDueAt: p.datetime().nullable(),

    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
  },
});
export type StoredFile = InferEntity<typeof StoredFile>;
