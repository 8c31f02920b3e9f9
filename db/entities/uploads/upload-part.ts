import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { DirectUpload } from './direct-upload.ts';

/** A confirmed part. There may be ten thousand, so they are rows and not workflow events. */
export const UploadPart = defineEntity({
  name: 'UploadPart',
  tableName: 'upload_parts',
  properties: {
    uploadId: p.manyToOne(DirectUpload).mapToPk().primary().fieldName('upload_id').deleteRule('cascade'),
    /** Numbered from 1. */
    partNumber: p.integer().primary(),
    /** ETag without quotes. */
    etag: p.string(),
    sizeBytes: p.bigint('number'),
    confirmedAt: p.datetime(),
  },
});
export type UploadPart = InferEntity<typeof UploadPart>;
