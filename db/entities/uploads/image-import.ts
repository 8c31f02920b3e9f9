import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { REQUESTED_CATEGORIES } from '../../../domain/content-categories.ts';
import { IMAGE_IMPORT_STATUSES } from '../../../domain/image-import.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * An image that a client has named by its URL. It says how far the work is while there is no file yet, and for good when
 * there will be none. Its status changes once, under a row lock.
 */
export const ImageImport = defineEntity({
  name: 'ImageImport',
  tableName: 'image_imports',
  indexes: [
    {
      name: 'image_imports_engine_due',
      expression: `create index "image_imports_engine_due" on "image_imports" ("engine_due_at") where "engine_due_at" is not null`,
    },
    {
      name: 'image_imports_pending',
      expression: `create index "image_imports_pending" on "image_imports" ("id") where "status" = 'pending'`,
    },
    {
      name: 'image_imports_failed',
      expression: `create index "image_imports_failed" on "image_imports" ("updated_at") where "status" = 'failed'`,
    },
    {
      name: 'image_imports_duplicate',
      expression: `create index "image_imports_duplicate" on "image_imports" ("duplicate_of") where "duplicate_of" is not null`,
    },
  ],
  properties: {
    /** The id that the file will have, and of the job. */
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    /** May be signed, so it stays out of workflows and logs, and is forgotten when the import has ended. */
    url: p.text().nullable(),
    contentCategory: p.enum(REQUESTED_CATEGORIES),
    options: p.json<UploadOptions>(),
    status: p.enum(IMAGE_IMPORT_STATUSES),
    error: p.json<FailureReason>().nullable(),
    /** The existing file, when a completed import has turned out to be a duplicate. */
    duplicateOf: p.uuid().nullable(),
    /** Since when its workflow must be started; cleared once it was, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    /** Once it has ended, when. */
    updatedAt: p.datetime(),
  },
});
export type ImageImport = InferEntity<typeof ImageImport>;
