import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { IMPORT_ITEM_STATUSES, type ItemAttributes } from '../../../domain/imports.ts';
import { FileImport } from './import.ts';

/** An object that an import has found. Its id is made of import, key and ETag, and is that of its file. */
export const ImportItem = defineEntity({
  name: 'ImportItem',
  tableName: 'import_items',
  indexes: [
    {
      name: 'import_items_pending',
      expression: `create index "import_items_pending" on "import_items" ("import_id", "id") where "status" = 'pending'`,
    },
    {
      name: 'import_items_uncounted',
      expression: `create index "import_items_uncounted" on "import_items" ("import_id") where "status" <> 'pending' and not "counted"`,
    },
    {
      name: 'import_items_ended',
      expression: `create index "import_items_ended" on "import_items" ("import_id", "ended_at") where "status" <> 'pending'`,
    },
    {
      name: 'import_items_gone',
      expression: `create index "import_items_gone" on "import_items" ("import_id", "id") where "gone_at" is not null`,
    },
    { name: 'import_items_by_status', properties: ['importId', 'status', 'id'] },
  ],
  properties: {
    id: p.uuid().primary(),
    importId: p.manyToOne(FileImport).mapToPk().fieldName('import_id').deleteRule('cascade'),
    key: p.text(),
    /** Empty where the source has none. */
    etag: p.text(),
    /** Null where the source does not say. */
    sizeBytes: p.bigint('number').nullable(),
    /** What a manifest says of the file. */
    attributes: p.json<ItemAttributes>().nullable(),
    status: p.enum(IMPORT_ITEM_STATUSES),
    reason: p.json<FailureReason>().nullable(),
    /** Its own file, or the one that it duplicates. */
    fileId: p.uuid().nullable(),
    /** The last pass that found it. */
    pass: p.integer().default(1),
    /** When a pass no longer found it; null while it is at the source, and unless it was imported. */
    goneAt: p.datetime().nullable(),
    /** Whether the totals of the import contain it. */
    counted: p.boolean().default(false),
    endedAt: p.datetime().nullable(),
  },
});
export type ImportItem = InferEntity<typeof ImportItem>;
