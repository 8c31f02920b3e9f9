import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import {
  REPROCESSING_STATUSES,
  type ReprocessedPart,
  type ReprocessingSelection,
} from '../../../domain/reprocessing.ts';
import { Tenant } from '../accounts/tenant.ts';

/** Files that are processed again, with its request and its progress. It includes files up to its `createdAt`. */
export const Reprocessing = defineEntity({
  name: 'Reprocessing',
  tableName: 'reprocessings',
  indexes: [
    {
      name: 'reprocessings_engine_due',
      expression:
        'create index "reprocessings_engine_due" on "reprocessings" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'reprocessings_to_close',
      expression:
        'create index "reprocessings_to_close" on "reprocessings" ("close_at") where "close_at" is not null',
    },
    { name: 'reprocessings_of_tenant', properties: ['tenantId', 'createdAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    status: p.enum(REPROCESSING_STATUSES),
    selection: p.json<ReprocessingSelection>(),
    parts: p.array().$type<ReprocessedPart[]>().columnType('text[]'),
    /** The saved schema to extract by. */
    schemaId: p.uuid().nullable(),
    /** Why its owner wants it. */
    reason: p.text(),
    filesPerMinute: p.integer().nullable(),
    /** The key that pays. */
    apiKeyId: p.string().length(8).nullable(),

    /** Estimated when it was accepted. */
    totalCount: p.integer(),
    estimatedCredits: p.bigint('number'),
    /** Place of the last file that was handed out, newest first; null before the first. */
    cursor: p.json<string[]>().nullable(),
    /** Whether all files are handed out. */
    exhausted: p.boolean().default(false),
    completedCount: p.integer().default(0),
    failedCount: p.integer().default(0),
    skippedCount: p.integer().default(0),
    pauseReason: p.json<FailureReason>().nullable(),
    error: p.json<FailureReason>().nullable(),

    /** Files whose description was put back. */
    restoredCount: p.integer().default(0),
    /** Id of the last file that a rollback has seen. */
    rollbackCursor: p.uuid().nullable(),

    /** Since when its workflow is due to be started or cancelled; cleared afterwards, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    completedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
    /** When the sweep closes it and removes the former descriptions; null once they are gone. */
    closeAt: p.datetime().nullable(),
  },
});
export type Reprocessing = InferEntity<typeof Reprocessing>;
