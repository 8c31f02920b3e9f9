import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A folder in a tenant's tree. Every change of the tree holds the lock of services/files/folders/lock-folders.ts.
 *
 * Parent and project belong to the same tenant: their foreign keys include it, and only the migration defines them. A
 * deleted folder keeps its row while files in the trash refer to it.
 */
export const Folder = defineEntity({
  name: 'Folder',
  tableName: 'folders',
  indexes: [
    {
      name: 'folders_name',
      expression:
        'create unique index "folders_name" on "folders" ("tenant_id", "parent_id", "name") nulls not distinct where "deleted_at" is null',
    },
    { name: 'folders_parent', properties: ['tenantId', 'parentId'] },
    {
      name: 'folders_project',
      expression:
        'create index "folders_project" on "folders" ("tenant_id", "project_id") where "project_id" is not null',
    },
    {
      name: 'folders_deleted',
      expression: 'create index "folders_deleted" on "folders" ("deleted_at") where "deleted_at" is not null',
    },
    {
      name: 'folders_to_empty',
      expression:
        'create index "folders_to_empty" on "folders" ("empty_due_at") where "empty_due_at" is not null',
    },
  ],
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    id: p.uuid().primary(),
    /** Null in the root. */
    parentId: p.uuid().nullable(),
    /** The same for all folders of a tree; the folder of a project that has no parent is its root folder. */
    projectId: p.uuid().nullable(),
    /** NFC, unique among live siblings. */
    name: p.string(),
    /** Days after which files in it move to the trash; 0: never, null: as above it. */
    retentionDays: p.integer().nullable(),
    /** Days in the trash; null: as above it. */
    trashDays: p.integer().nullable(),
    createdAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
    /**
     * Since when files of this deleted folder may still have to move to the trash. Set by the deletion, cleared once
     * none is left; the sweep continues interrupted deletions.
     */
    emptyDueAt: p.datetime().nullable(),
  },
});
export type Folder = InferEntity<typeof Folder>;
