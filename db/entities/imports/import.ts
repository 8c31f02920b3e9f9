import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import {
  IMPORT_STATUSES,
  WHEN_GONE,
  type ImportSettings,
  type ImportSource,
} from '../../../domain/imports.ts';
import { Tenant } from '../accounts/tenant.ts';

/** Files to be fetched from where they are, with the place in the listing and the totals of counted items. */
export const FileImport = defineEntity({
  name: 'FileImport',
  tableName: 'imports',
  indexes: [
    { name: 'imports_of_tenant', properties: ['tenantId', 'createdAt'] },
    {
      name: 'imports_next_pass',
      expression:
        'create index "imports_next_pass" on "imports" ("next_pass_at") where "next_pass_at" is not null',
    },
    {
      name: 'imports_engine_due',
      expression:
        'create index "imports_engine_due" on "imports" ("engine_due_at") where "engine_due_at" is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    apiKeyId: p.string().length(8).nullable(),
    source: p.json<ImportSource>(),
    settings: p.json<ImportSettings>(),
    /** Files that are fetched at the same time. */
    concurrency: p.integer(),
    /** Most files that are begun in a minute; null without a limit. */
    maxPerMinute: p.integer().nullable(),
    status: p.enum(IMPORT_STATUSES),
    generation: p.integer().default(1),
    /** Why it is paused, waits or has failed. */
    reason: p.json<FailureReason>().nullable(),
    /** Whether failed items are to be imported again by this generation. */
    retryFailed: p.boolean().default(false),

    /** Hours between the end of a pass and the next one; null for a single pass. */
    repeatHours: p.integer().nullable(),
    whenGone: p.enum(WHEN_GONE).default('keep'),
    /** Number of the listing, from its beginning. */
    pass: p.integer().default(1),
    /** Whether this pass has found anything. */
    seen: p.boolean().default(false),
    /** Whether this pass could not list a part of the source, so that nothing is taken for gone. */
    partial: p.boolean().default(false),
    /** The last pass after which items that have gone were looked for. */
    gonePass: p.integer().default(1),
    /** When the next pass is due; null while one runs, and without one. */
    nextPassAt: p.datetime().nullable(),
    /** Imported items that the last pass did not find. */
    gone: p.integer().default(0),

    /** Where the listing continues; null at its beginning. */
    cursor: p.text().nullable(),
    listed: p.boolean().default(false),
    /** Pages in a row that had no new key. */
    idlePages: p.integer().default(0),

    found: p.integer().default(0),
    imported: p.integer().default(0),
    skipped: p.integer().default(0),
    failed: p.integer().default(0),
    /** Numbers of skipped and failed items by the code of their reason. */
    reasons: p.json<Record<string, number>>(),
    bytes: p.bigint('number').default(0),

    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    updatedAt: p.datetime(),
  },
});
export type FileImport = InferEntity<typeof FileImport>;
