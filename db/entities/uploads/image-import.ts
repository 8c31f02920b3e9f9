import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { REQUESTED_CATEGORIES } from '../../../domain/content-categories.ts';
import { IMAGE_IMPORT_STATUSES } from '../../../domain/image-import.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * An image submitted by URL. It holds the progress until there is a file, and permanently if the import fails. Its
 * status changes once, under a row lock.
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
    /** The id of the future file and of the job. */
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    /** May be signed, so it stays out of workflows and logs and is cleared when the import ends. */
    url: p.text().nullable(),
    contentCategory: p.enum(REQUESTED_CATEGORIES),
    options: p.json<UploadOptions>(),
    status: p.enum(IMAGE_IMPORT_STATUSES),
    error: p.json<FailureReason>().nullable(),
    /** The existing file, if a completed import was a duplicate. */
    duplicateOf: p.uuid().nullable(),
    /** Since when its workflow is due to be started; cleared afterwards, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    /** The end time, once it has ended. */
    updatedAt: p.datetime(),
  },
});
export type ImageImport = InferEntity<typeof ImageImport>;
