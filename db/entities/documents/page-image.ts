import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { StoredFile } from '../files/stored-file.ts';

/** The picture of a page in one width, or why it could not be drawn. Drawing it again overwrites it. */
export const PageImage = defineEntity({
  name: 'PageImage',
  tableName: 'page_images',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** Numbered from 1. */
    pageNumber: p.integer().primary(),
    /** The requested one, in pixels; the picture is never wider. */
    width: p.integer().primary(),
    /** Null for one that could not be drawn. */
    objectKey: p.text().nullable(),
    contentType: p.string().nullable(),
    sizeBytes: p.integer(),
    /** Of the content that the page had. */
    contentHash: p.string().length(64).nullable(),
    error: p.json<FailureReason>().nullable(),
    drawnAt: p.datetime(),
  },
});
export type PageImage = InferEntity<typeof PageImage>;
