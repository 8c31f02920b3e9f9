import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { SPLIT_STATUSES, type LeftOutPage, type SplitPart } from '../../../domain/splits.ts';
import { StoredFile } from '../files/stored-file.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A document that is divided into files. Which files the parts have become is not recorded here: they are the live files
 * with this parent and these pages.
 */
export const DocumentSplit = defineEntity({
  name: 'DocumentSplit',
  tableName: 'document_splits',
  indexes: [
    {
      name: 'document_splits_engine_due',
      expression:
        'create index "document_splits_engine_due" on "document_splits" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      // One at a time, so that no part is made twice.
      name: 'document_splits_open',
      expression: `create unique index "document_splits_open" on "document_splits" ("file_id") where "status" = 'processing'`,
    },
    { name: 'document_splits_of_file', properties: ['fileId', 'createdAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    fileId: p.manyToOne(StoredFile).mapToPk().fieldName('file_id').deleteRule('cascade').index(false),
    status: p.enum(SPLIT_STATUSES),
    byRules: p.boolean(),
    /** Whether it only proposes parts. */
    dryRun: p.boolean(),
    /** Whether rules give separator pages to the parts after them. */
    keepSeparators: p.boolean().default(false),
    /** Those of the request, or those that the rules have found; null before. */
    parts: p.json<SplitPart[]>().nullable(),
    /** Pages between parts that rules have left out. */
    leftOut: p.json<LeftOutPage[]>(),
    /** How many of the parts, from the first, are done: they are files, or were. */
    partsDone: p.integer(),
    error: p.json<FailureReason>().nullable(),
    /** The key that pays. */
    apiKeyId: p.string().length(8).nullable(),
    /** Since when its workflow is due to be started or cancelled; cleared afterwards, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type DocumentSplit = InferEntity<typeof DocumentSplit>;
