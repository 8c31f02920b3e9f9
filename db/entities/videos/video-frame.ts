import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ImageFacts } from '../../../domain/image-analysis.ts';
import { StoredFile } from '../files/stored-file.ts';

/** One key frame of a video: first chosen by its time, then rendered, then read by text recognition. */
export const VideoFrame = defineEntity({
  name: 'VideoFrame',
  tableName: 'video_frames',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** Numbered from 1, by time. */
    frameNumber: p.integer().primary(),
    timeSeconds: p.double().$type<number>(),
    /** Keys of the full image and of the small one, both JPEG; null until rendered. */
    objectKey: p.text().nullable(),
    smallKey: p.text().nullable(),
    blurHash: p.string().nullable(),
    imageFacts: p.json<ImageFacts>().nullable(),
    /** Null until text recognition has run. */
    visibleText: p.text().nullable(),
    updatedAt: p.datetime(),
  },
});
export type VideoFrame = InferEntity<typeof VideoFrame>;
