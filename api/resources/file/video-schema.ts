import { z } from 'zod';
import { componentStatus } from '../enums.ts';
import {
  blurHash,
  codecOfVideo,
  contentCategory,
  contentCreatedAt,
  contentType,
  count,
  createdAt,
  dimensions,
  durationSeconds,
  errorShapeOf,
  explanation,
  failureKind,
  filename,
  folderId,
  frameRate,
  fullDescriptions,
  fullUrl,
  mediumUrl,
  parentFileId,
  parentPages,
  primaryStatus,
  projectId,
  resolution,
  sizeBytes,
  statusShapeOf,
  tags,
  thumbnailUrl,
  timestamp,
  updatedAt,
  uploadDescription,
  url,
  userDescription,
} from '../fields.ts';

const audioTrack = z
  .object({
    codec: z.string().nullable().describe('Codec, as named by the container; null if unknown'),
    channels: count.describe('Number of channels'),
    sample_rate: count.describe('Samples per second'),
    language: z.string().nullable().describe('Language, ISO 639-2; null if unknown'),
  })
  .meta({ id: 'AudioTrack' });

const keyFrame = z
  .object({
    time_seconds: z.number().min(0).describe('Time of the frame, in seconds from the beginning'),
    blur_hash: blurHash,
    thumbnail_url: url.describe('Presigned URL of the small version of the frame, valid for one hour'),
    full_url: url.describe('Presigned URL of the frame, valid for one hour'),
    visible_text: z.string().nullable().describe('Visible text in the frame; null until available'),
  })
  .meta({ id: 'KeyFrame' });

export const videoDetail = z
  .object({
    id: z.uuid().describe('Id of the file'),
    media_type: z.literal('video').describe('The medium, detected from the content'),
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    tags,
    size_bytes: sizeBytes,
    content_type: contentType,
    parent_file_id: parentFileId,
    parent_pages: parentPages,
    format: z.string().describe('Container of the video, such as `mp4`'),
    duration_seconds: durationSeconds,
    analyzed_seconds: z
      .number()
      .min(0)
      .nullable()
      .describe(
        'Seconds that could be decoded, from the beginning; less than the duration if the video is damaged or truncated. Null until the scenes are found',
      ),
    frame_rate: frameRate,
    has_variable_frame_rate: z
      .boolean()
      .nullable()
      .describe('Whether the frame rate varies; null until the container is read'),
    video_codec: codecOfVideo,
    resolution,
    dimensions: dimensions.describe('Displayed size in pixels; null until the container is read'),
    rotation: z
      .int()
      .nullable()
      .describe('Clockwise rotation in degrees that players apply; all sizes are after rotation'),
    audio_tracks: z.array(audioTrack).describe('Audio tracks'),
    key_frames: z.array(keyFrame).describe('Up to 24 representative frames, by time'),
    full_url: fullUrl,
    thumbnail_url: thumbnailUrl,
    medium_url: mediumUrl,
    video_url: url.describe(
      'Presigned URL of the original, valid for one hour; it supports range requests, so players can seek; null while it is being uploaded',
    ),
    primary_status: primaryStatus,
    failure_kind: failureKind,
    ...statusShapeOf(['video']),
    ...errorShapeOf('video'),
    analysis_status: componentStatus.describe('The same as `video_analysis_status`'),
    explanation,
    variant_count: count.describe('Number of variants that are rendered'),
    user_description: userDescription,
    upload_description: uploadDescription,
    visible_text: z
      .string()
      .nullable()
      .describe('Visible text in the key frames, each line once; null until available'),
    description_generated_at: timestamp.nullable().describe('When the description was made; null until then'),
    full_descriptions: fullDescriptions.describe(
      'The newest 100 descriptions, each with its model, oldest first',
    ),
    created_at: createdAt,
    updated_at: updatedAt,
    content_created_at: contentCreatedAt,
    blur_hash: blurHash,
    content_category: contentCategory,
    folder_id: folderId,
    project_id: projectId,
  })
  .meta({ id: 'VideoDetail' });
