import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import {
  SEALED_BY,
  UPLOAD_SESSION_STATUSES,
  UPLOAD_METHODS,
} from '../../../domain/upload-sessions/upload-session.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * Files uploaded together. Counts are never stored: they are derived from its items and their files. Every status
 * change holds the row's lock, so that cancellation, completion and expiry agree on one terminal status.
 */
export const UploadSession = defineEntity({
  name: 'UploadSession',
  tableName: 'upload_sessions',
  indexes: [
    { name: 'upload_sessions_tenant_created', properties: ['tenantId', 'createdAt', 'id'] },
    {
      name: 'upload_sessions_engine_due',
      expression:
        'create index "upload_sessions_engine_due" on "upload_sessions" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'upload_sessions_open',
      expression: `create index "upload_sessions_open" on "upload_sessions" ("id") where "status" in ('pending', 'uploading', 'processing')`,
    },
    {
      name: 'upload_sessions_unconfirmed',
      expression: `create index "upload_sessions_unconfirmed" on "upload_sessions" ("tenant_id", "created_at") where "upload_method" = 'presigned' and "confirmed_at" is null and "sealed_by" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    uploadMethod: p.enum(UPLOAD_METHODS),
    status: p.enum(UPLOAD_SESSION_STATUSES),
    /** Incremented by each retry of failed files: each generation has its own workflow run. */
    generation: p.integer(),
    /** Incremented with each change of this row. */
    version: p.integer(),
    /** Who began it: a person or an API key. */
    userId: p.uuid().nullable(),
    apiKeyId: p.string().length(8).nullable(),
    /** Set once the session accepts no more files. */
    sealedBy: p.enum(SEALED_BY).nullable(),
    pausedAt: p.datetime().nullable(),
    /** Why the session ended, if its workflow did not end it. */
    error: p.json<FailureReason>().nullable(),
    /** When the client of a presigned batch first confirmed its uploads. */
    confirmedAt: p.datetime().nullable(),
    /** Lease of the confirmation in progress; expires then if its holder crashed. */
    confirmingUntil: p.datetime().nullable(),
    /** Since when its workflow may have missed a change; cleared by its next read, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    startedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type UploadSession = InferEntity<typeof UploadSession>;
