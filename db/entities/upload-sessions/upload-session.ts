import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import {
  SEALED_BY,
  UPLOAD_SESSION_STATUSES,
  UPLOAD_METHODS,
} from '../../../domain/upload-sessions/upload-session.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * Several files that came together. Its counts are never stored: they follow from its items and their files. Whoever
 * changes the status holds the row's lock, so that cancellation, completion and expiry end in one terminal status.
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
      name: 'upload_sessions_unconfirmed',
      expression: `create index "upload_sessions_unconfirmed" on "upload_sessions" ("tenant_id", "created_at") where "upload_method" = 'presigned' and "confirmed_at" is null and "sealed_by" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    uploadMethod: p.enum(UPLOAD_METHODS),
    status: p.enum(UPLOAD_SESSION_STATUSES),
    /** One more with each retry of what failed: each has a run of the workflow. */
    generation: p.integer(),
    /** Grows with each change of this row. */
    version: p.integer(),
    /** Set once no further file can come. */
    sealedBy: p.enum(SEALED_BY).nullable(),
    pausedAt: p.datetime().nullable(),
    /** Why the session ended, when its workflow did not end it. */
    error: p.json<FailureReason>().nullable(),
    /** When the client of a presigned batch first said what it had uploaded. */
    confirmedAt: p.datetime().nullable(),
    /** A confirmation is at work until it is done, or until then if it died. */
    confirmingUntil: p.datetime().nullable(),
    /** Since when its workflow may not know of the last change; cleared once it was told, and swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    startedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type UploadSession = InferEntity<typeof UploadSession>;
