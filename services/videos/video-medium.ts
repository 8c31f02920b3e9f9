import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { clockTime } from '../../domain/videos/video.ts';
import { imageIndex } from '../images/image-medium.ts';
import type { Medium } from '../media/medium.ts';
import { sql } from '../shared/sql.ts';
import { listFrames } from './render-key-frames.ts';

export const videoMedium: Medium = {
  mediaType: 'video',
  // Its variants are rows of a table that images own.
  ownTables: ['video_frames', 'video_details'],
  index: imageIndex,
  exports: {
    joins: sql` left join video_details video on video.file_id = f.id`,
    columns: {
      duration_seconds: sql`video.duration_seconds`,
      frame_rate: sql`video.frame_rate`,
      video_codec: sql`video.codec`,
      resolution: sql`video.width || 'x' || video.height`,
    },
  },
  /** When a part of the video was last decoded, a frame rendered or its text read. */
  async lastProgressAt(em, fileId) {
    const [row] = await em.execute<{ at: Date | null }[]>(
      `select max(updated_at) as at from (
         select updated_at from video_details where file_id = ?
         union all select updated_at from video_frames where file_id = ?) as parts`,
      [fileId, fileId],
    );
    return row?.at ?? undefined;
  },
  async progress(em, fileId) {
    const details = await em.findOne(VideoDetails, { fileId }, { refresh: true });
    if (!details) return undefined;
    const { scenesFound, thumbnailFrame, scan, durationSeconds } = details;
    if (!scenesFound) return `${clockTime(scan?.scannedSeconds ?? 0)} of ${clockTime(durationSeconds)}`;
    const frames = await listFrames(em, fileId);
    const done = frames.filter(({ objectKey, visibleText }) =>
      thumbnailFrame === null ? objectKey !== null : visibleText !== null,
    );
    return done.length < frames.length ? `frame ${done.length + 1} of ${frames.length}` : undefined;
  },
  /** An analysis that failed or was cut short continues where it ended; a completed one begins anew. */
  async prepareRetry(tx, { fileId, components }, retried) {
    if (!retried.includes('video_analysis') || components.video_analysis?.status !== 'completed') return [];
    await tx.nativeDelete(VideoFrame, { fileId });
    await tx.nativeDelete(VideoDetails, { fileId });
    return [];
  },
};
