import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { SavedScan } from '../../../domain/videos/scenes.ts';
import type { AudioTrack, VideoCodec, VideoFacts } from '../../../domain/videos/video.ts';
import { StoredFile } from '../files/stored-file.ts';

/** The columns specific to videos. Created when the container is read. */
export const VideoDetails = defineEntity({
  name: 'VideoDetails',
  tableName: 'video_details',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    durationSeconds: p.double().$type<number>(),
    /** Frames per second, on average. */
    frameRate: p.double().$type<number>(),
    hasVariableFrameRate: p.boolean(),
    codec: p.string().$type<VideoCodec>(),
    /** Place of the analyzed track among the video tracks. */
    track: p.integer().default(0),
    /** Width of the upright frame in square pixels. */
    width: p.integer(),
    height: p.integer(),
    rotation: p.integer().$type<VideoFacts['rotation']>(),
    audioTracks: p.json<AudioTrack[]>(),
    /** Progress of the scan; null before the first save. Large, so it is loaded only on demand. */
    scan: p.json<SavedScan>().nullable().lazy(),
    /** Whether the scan is complete and the key frames are chosen. */
    scenesFound: p.boolean(),
    /** Number of the key frame used as thumbnail; null until its variants are rendered. */
    thumbnailFrame: p.integer().nullable(),
    blurHash: p.string().nullable(),
    updatedAt: p.datetime(),
  },
});
export type VideoDetails = InferEntity<typeof VideoDetails>;
