import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { DataExport } from './export.ts';

/** A written part of an export, with the position at which the next one begins. */
export const ExportPart = defineEntity({
  name: 'ExportPart',
  tableName: 'export_parts',
  properties: {
    exportId: p.manyToOne(DataExport).mapToPk().primary().fieldName('export_id').deleteRule('cascade'),
    /** Numbered from 1. */
    number: p.integer().primary(),
    /** ETag without quotes; null for a spreadsheet. */
    etag: p.string().nullable(),
    /** The last record in it. */
    cursor: p.json<ExportCursor>(),
    /** Records up to and including this part. */
    records: p.integer(),
  },
});
export type ExportPart = InferEntity<typeof ExportPart>;
