import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A project, which owns a folder in the root, `rootFolderId`, and everything below it. A foreign key that only the
 * migration defines keeps that folder in the same tenant.
 */
export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  indexes: [
    {
      name: 'projects_slug',
      expression:
        'create unique index "projects_slug" on "projects" ("tenant_id", "slug") where "deleted_at" is null',
    },
  ],
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    id: p.uuid().primary(),
    /** Also the name of its root folder. */
    name: p.string(),
    slug: p.string(),
    description: p.text().nullable(),
    rootFolderId: p.uuid(),
    /** For uploads that name none. */
    defaultContentCategory: p.enum(CONTENT_CATEGORIES).nullable(),
    /** For uploads that name none; no schema if it is deleted meanwhile. */
    defaultSchemaId: p.uuid().nullable(),
    createdAt: p.datetime(),
    /** An archived project accepts no more files. */
    archivedAt: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
  },
});
export type Project = InferEntity<typeof Project>;
