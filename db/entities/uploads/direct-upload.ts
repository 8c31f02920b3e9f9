import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { DIRECT_UPLOAD_STATUSES } from '../../../domain/uploads/direct-upload.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { UPLOAD_MODES } from '../../../domain/uploads/upload-plan.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A direct upload announced by a client. `status`, `completeRequestedAt` and `error` change only through the reducer of
 * domain/uploads/direct-upload.ts, under a row lock.
 */
export const DirectUpload = defineEntity({
  name: 'DirectUpload',
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
    status: p.enum(DIRECT_UPLOAD_STATUSES),

    filename: p.string(),
    /** As declared; the actual type is detected from the leading bytes. */
    contentType: p.string(),
    mediaType: p.enum(MEDIA_TYPES),
    sizeBytes: p.bigint('number'),
    /** Lower-case hex. Null if the client claimed none at creation, until verification sets it. */
    claimedSha256: p.string().length(64).nullable(),
    /**
     * Claimed by the latest confirmation, if none was claimed at creation. A mismatch reopens the upload but keeps its
     * bytes.
     */
    confirmedSha256: p.string().length(64).nullable(),
    title: p.string().nullable(),
    tags: p.array(),
    contentCategory: p.enum(CONTENT_CATEGORIES),
    options: p.json<UploadOptions>(),
    /** The destination folder; if it is deleted before completion, the file goes to the root. */
    folderId: p.uuid().nullable(),

    /** The key given to the client. It identifies the upload in every response, wherever its bytes are. */
    objectKey: p.text(),
    /** The key of the multipart upload that replaced the first one; null until then. */
    laterPartsKey: p.text().nullable(),
    /** The store's multipart upload id; null for a single PUT, and until the store has issued one. */
    storeUploadId: p.text().nullable(),
    partSizeBytes: p.bigint('number').nullable(),
    totalParts: p.integer().nullable(),
    /** Incremented when a multipart upload restarts, so that a late verification of earlier bytes changes nothing. */
    round: p.integer(),

    /** The API key of the request that announced it; null without one. */
    apiKeyId: p.string().length(8).nullable(),

    /** Its presigned batch, and its position in it. */
    sessionId: p.uuid().nullable(),
    sessionIndex: p.integer().nullable(),

    /** The id of the future file. */
    fileId: p.uuid().index(),
    /** The existing file, if a completed upload was a duplicate. */
    duplicateOf: p.uuid().nullable(),
    /** Whether another live file had the same content when this one was verified, whichever of them was kept. */
    deduplicated: p.boolean().default(false),

    /** Set while verification is requested or in progress, and permanently once completed. */
    completeRequestedAt: p.datetime().nullable(),
    /** Since when its workflow is due to start, verify or stop; cleared once notified, swept until then. */
    engineDueAt: p.datetime().nullable(),
    error: p.json<FailureReason>().nullable(),
    abortReason: p.string().nullable(),

    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When the bytes were verified and became a file. */
    confirmedAt: p.datetime().nullable(),
    /**
     * When the sweep removes leftovers of this upload from the store: an hour after its URLs expire, since a slow
     * request may outlive them, or at once if no workflow does it. Null if nothing is left to remove.
     */
    cleanAt: p.datetime().nullable(),
  },
});
export type DirectUpload = InferEntity<typeof DirectUpload>;
