import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { COMPLIANCE_STATUSES } from '../../../domain/compliance/compliance.ts';
import type { FileHold } from '../../../domain/trash/retention.ts';
import type { Components } from '../../../domain/components.ts';
import { REQUESTED_CATEGORIES } from '../../../domain/content-categories.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * The columns shared by all media, and the projection of their processing. `components`, `primaryStatus`, `generation`
 * and `seq` follow the workflow: a write applies only if its (generation, seq) is higher, so stale writes change
 * nothing.
 *
 * Every step of every file changes `seq`, `components` and `updatedAt`, so no index may include them: then Postgres can
 * update the row without touching indexes (HOT). `primaryStatus` is written as often, but changes twice. Only the migrations define the generated columns and
 * indexes for lists and search (`has_description`, `search_all`, `search_metadata`, `search_visible`, `search_names`,
 * and `document_words` from the text of a document), and the foreign key and index of `folderId` and `parentFileId`.
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
      name: 'files_source_url',
      expression:
        'create index "files_source_url" on "files" ("tenant_id", "source_url") where "source_url" is not null',
    },
    {
      name: 'files_engine_due',
      expression:
        'create index "files_engine_due" on "files" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'files_held',
      expression: 'create index "files_held" on "files" ("tenant_id") where "hold" is not null',
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
    contentCategory: p.enum(REQUESTED_CATEGORIES),
    sizeBytes: p.bigint('number'),
    sha256: p.string().length(64),
    objectKey: p.text(),
    options: p.json<UploadOptions>(),
    /** The URL that a client sent to be crawled; kept if the content turned out to be of another medium. */
    sourceUrl: p.text().nullable(),
    /** With `skip_duplicates`: the file that has the page of this link, according to the latest crawl. */
    duplicateOf: p.uuid().nullable(),
    /**
     * Null in the root. For a file in the trash, the folder may have been deleted; a live file is in a live folder. The
     * foreign key, which includes the tenant, is defined in the migration.
     */
    folderId: p.uuid().nullable(),
    /** The file that it was a part of, such as the e-mail that it was attached to; null once that is purged. */
    parentFileId: p.uuid().nullable(),
    /** The pages of that file that it consists of, such as `3-5`; null for other parts. */
    parentPages: p.text().nullable(),
    /** The upload session that it was uploaded in. */
    sessionId: p.uuid().nullable(),

    contentCreatedAt: p.datetime().nullable(),
    /** Recognised text, line by line; null if there is none. */
    visibleText: p.text().nullable(),

    /** Written by a user; takes precedence over `uploadDescription` in lists and search. */
    userDescription: p.text().nullable(),
    uploadDescription: p.text().nullable(),
    describedAt: p.datetime().nullable(),

    complianceStatus: p.enum(COMPLIANCE_STATUSES).default('not_checked'),

    generation: p.integer(),
    /** Generations opened by explicit retries; the others are the first one and those opened by restores. */
    retries: p.integer().default(0),
    seq: p.integer(),
    /** The engine run that most recently began this generation. */
    runId: p.uuid().nullable(),
    components: p.json<Components>(),
    primaryStatus: p.enum(PRIMARY_STATUSES),
    /** When a run first began this generation; null until then. */
    workflowStartedAt: p.datetime().nullable(),
    /**
     * Since when the engine may be missing a change of this row: work to start or stop, or a similarity index entry to
     * update. Set with the change, cleared once the engine is notified; the sweep picks up the rest.
     */
    engineDueAt: p.datetime().nullable(),

    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
    /** When the purge removes it from the trash; null for a file that was deleted by an earlier version. */
    purgeAt: p.datetime().nullable(),
    /** When it was restored, from which its retention counts; null for one that never was. */
    retainedFrom: p.datetime().nullable(),
    /** It must not be deleted, and neither must what it came with or what came with it. */
    hold: p.json<FileHold>().nullable(),
  },
});
export type StoredFile = InferEntity<typeof StoredFile>;
