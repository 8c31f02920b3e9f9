import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { DataExport } from './export.ts';

/** A part of an export that is written: where the next one begins. */
export const ExportPart = defineEntity({
  name: 'ExportPart',
  tableName: 'export_parts',
  properties: {
    exportId: p.manyToOne(DataExport).mapToPk().primary().fieldName('export_id').deleteRule('cascade'),
    /** From 1. */
    number: p.integer().primary(),
    /** Without quotes; of a spreadsheet, none. */
    etag: p.string().nullable(),
    /** The last record in it. */
    cursor: p.json<ExportCursor>(),
    /** Records in it and in those before it. */
    records: p.integer(),
  },
});
export type ExportPart = InferEntity<typeof ExportPart>;
