import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ImageFacts } from '../../../domain/image-facts.ts';
import type { TextRegion } from '../../../domain/text-region.ts';
import { StoredFile } from './stored-file.ts';

/** What an image has beside what every file has. There from its first decoding on; making it again replaces it. */
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
    /** The lines of `visibleText` of the file and their places; null until recognition has looked. */
    textRegions: p.json<TextRegion[]>().nullable(),
  },
});
export type ImageDetails = InferEntity<typeof ImageDetails>;
