import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { INTENT_STATUSES } from '../../../domain/uploads/upload-intent.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { UPLOAD_MODES } from '../../../domain/uploads/upload-plan.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * The promise of a client to put a file straight into the object store. `status`, `completeRequestedAt` and `error`
 * change only by the reducer of domain/uploads/upload-intent.ts, under a lock of the row.
 */
export const UploadIntent = defineEntity({
  name: 'UploadIntent',
  tableName: 'upload_intents',
  indexes: [
    {
      name: 'upload_intents_engine_due',
      expression: `create index "upload_intents_engine_due" on "upload_intents" ("engine_due_at") where "engine_due_at" is not null`,
    },
    {
      name: 'upload_intents_to_clean',
      expression: `create index "upload_intents_to_clean" on "upload_intents" ("clean_at") where "clean_at" is not null`,
    },
    {
      name: 'upload_intents_session',
      expression: `create index "upload_intents_session" on "upload_intents" ("session_id") where "session_id" is not null`,
    },
    {
      name: 'upload_intents_open',
      expression: `create index "upload_intents_open" on "upload_intents" ("tenant_id") where "status" in ('PENDING', 'UPLOADED')`,
    },
    {
      name: 'upload_intents_failed',
      expression: `create index "upload_intents_failed" on "upload_intents" ("updated_at") where "status" = 'FAILED' and "clean_at" is null`,
    },
    {
      name: 'upload_intents_duplicate',
      expression: `create index "upload_intents_duplicate" on "upload_intents" ("duplicate_of") where "duplicate_of" is not null`,
    },
    { name: 'upload_intents_file', properties: ['fileId'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    mode: p.enum(UPLOAD_MODES),
    status: p.enum(INTENT_STATUSES),

    filename: p.string(),
    /** As declared; the leading bytes decide what the file is. */
    contentType: p.string(),
    mediaType: p.enum(MEDIA_TYPES),
    sizeBytes: p.bigint('number'),
    /** Hexadecimal, lower case. Null where the client claims none at creation; then ours, once it is verified. */
    claimedSha256: p.string().length(64).nullable(),
    /** What its latest confirmation claims, where none was claimed at creation: worth a check, but not the bytes. */
    confirmedSha256: p.string().length(64).nullable(),
    title: p.string().nullable(),
    tags: p.array(),
    contentCategory: p.enum(CONTENT_CATEGORIES),
    options: p.json<UploadOptions>(),

    /** Where the client puts the bytes. */
    objectKey: p.text(),
    /** The store's id of the upload in parts; null for one PUT, and until the store has given one. */
    storeUploadId: p.text().nullable(),
    partSizeBytes: p.bigint('number').nullable(),
    totalParts: p.integer().nullable(),
    /** Counts up when an upload in parts begins anew, so that a late verification of earlier bytes changes nothing. */
    round: p.integer(),

    /** The presigned batch that it belongs to, and its place there. */
    sessionId: p.uuid().nullable(),
    sessionIndex: p.integer().nullable(),

    /** The id that the file will have. */
    fileId: p.uuid().index(),
    /** The file that was there already, once a completed upload has turned out to be a duplicate. */
    duplicateOf: p.uuid().nullable(),

    /** Set while the client waits for the verification of what it sent, and for good once it is completed. */
    completeRequestedAt: p.datetime().nullable(),
    /** Since when its workflow has to be told to start, to verify or to stop; cleared once it was, and swept until then. */
    engineDueAt: p.datetime().nullable(),
    error: p.json<FailureReason>().nullable(),
    abortReason: p.string().nullable(),

    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When the bytes were verified and became a file. */
    confirmedAt: p.datetime().nullable(),
    /**
     * When the sweep looks for what this upload left in the store: an hour after its URLs have expired, since a slow
     * request may outlive them. At once where no workflow does it. Null when there is nothing left to look for.
     */
    cleanAt: p.datetime().nullable(),
  },
});
export type UploadIntent = InferEntity<typeof UploadIntent>;
