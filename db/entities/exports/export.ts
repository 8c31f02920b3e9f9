import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { EXPORT_KINDS, EXPORT_STATUSES } from '../../../domain/exports/export.ts';
import type { FilesSpec, HistorySpec } from '../../../domain/exports/spec.ts';
import { Tenant } from '../accounts/tenant.ts';

/** An export with its request and its progress. It includes rows of other tables up to its `createdAt`. */
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
    /** For a spreadsheet at a provider. */
    connectionId: p.uuid().nullable(),
    spreadsheetId: p.text().nullable(),
    spreadsheetUrl: p.text().nullable(),

    /** Incremented by each attempt to write it, so that a former attempt that still runs records nothing. */
    fence: p.integer().default(0),
    /** The store's multipart upload id, while one is open. */
    storeUploadId: p.text().nullable(),
    /** Records written so far. */
    recordCount: p.integer().default(0),
    /** Number of records to write, counted at the start; null before. */
    expectedCount: p.integer().nullable(),
    error: p.json<FailureReason>().nullable(),

    /** Since when its workflow is due to be started or cancelled; cleared afterwards, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    /** When the sweep removes its objects from the store; null if there are none. */
    cleanAt: p.datetime().nullable(),
  },
});
export type DataExport = InferEntity<typeof DataExport>;
