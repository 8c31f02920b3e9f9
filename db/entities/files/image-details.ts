import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { DetectedObject, ImageFacts, TextRegion } from '../../../domain/image-analysis.ts';
import { StoredFile } from './stored-file.ts';

/** The columns specific to images. Created by the first decoding; decoding again overwrites it. */
export const ImageDetails = defineEntity({
  name: 'ImageDetails',
  tableName: 'image_details',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** Upright size. */
    width: p.integer(),
    height: p.integer(),
    blurHash: p.string(),
    imageFacts: p.json<ImageFacts>(),
    /** The lines of the file's `visibleText` and their positions; null until text recognition has run. */
    textRegions: p.json<TextRegion[]>().nullable(),
    /** Of the newest description; null if its model said none. */
    detectedObjects: p.json<DetectedObject[]>().nullable(),
  },
});
export type ImageDetails = InferEntity<typeof ImageDetails>;
