import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { EXPORT_KINDS, EXPORT_STATUSES } from '../../../domain/exports/export.ts';
import type { FilesSpec, HistorySpec } from '../../../domain/exports/spec.ts';
import { Tenant } from '../accounts/tenant.ts';

/** An export: what was asked for, and how far it is. Rows of other tables count up to its `createdAt`. */
export const DataExport = defineEntity({
  name: 'DataExport',
  tableName: 'exports',
  indexes: [
    {
      name: 'exports_engine_due',
      expression:
        'create index "exports_engine_due" on "exports" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'exports_to_clean',
      expression: 'create index "exports_to_clean" on "exports" ("clean_at") where "clean_at" is not null',
    },
    {
      name: 'exports_open',
      expression: `create index "exports_open" on "exports" ("tenant_id") where "status" in ('pending', 'processing')`,
    },
    { name: 'exports_created', properties: ['createdAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    kind: p.enum(EXPORT_KINDS),
    /** One of `FORMATS` (services/exports/formats). */
    format: p.text(),
    spec: p.json<FilesSpec | HistorySpec>(),
    status: p.enum(EXPORT_STATUSES),
    /** Of a spreadsheet at a provider. */
    connectionId: p.uuid().nullable(),
    spreadsheetId: p.text().nullable(),
    spreadsheetUrl: p.text().nullable(),

    /** Incremented by each attempt to write it, so that a former one that still runs records nothing. */
    fence: p.integer().default(0),
    /** The store's multipart upload id, while there is one. */
    storeUploadId: p.text().nullable(),
    /** Records written so far. */
    recordCount: p.integer().default(0),
    /** How many there were to write when it began; null before. */
    expectedCount: p.integer().nullable(),
    error: p.json<FailureReason>().nullable(),

    /** Since when its workflow must be started or cancelled; cleared once it was, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    /** When the sweep removes what it has in the store; null when there is nothing. */
    cleanAt: p.datetime().nullable(),
  },
});
export type DataExport = InferEntity<typeof DataExport>;
