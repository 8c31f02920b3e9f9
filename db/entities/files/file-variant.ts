import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { VariantType } from '../../../domain/image-analysis.ts';
import { StoredFile } from './stored-file.ts';

/** One row per size of an image; rendering again overwrites it. */
export const FileVariant = defineEntity({
  name: 'FileVariant',
  tableName: 'file_variants',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    type: p.string().$type<VariantType>().primary(),
    objectKey: p.text(),
    contentType: p.string(),
    width: p.integer(),
    height: p.integer(),
    sizeBytes: p.integer(),
  },
});
export type FileVariant = InferEntity<typeof FileVariant>;
