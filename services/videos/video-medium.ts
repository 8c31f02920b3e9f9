import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { isRetryable } from '../../domain/retry-components.ts';
import { clockTime } from '../../domain/videos/video.ts';
import { imageIndex } from '../images/image-medium.ts';
import type { Medium } from '../media/medium.ts';
import { sql } from '../shared/sql.ts';
import { listFrames } from './render-key-frames.ts';

export const videoMedium: Medium = {
  mediaType: 'video',
  // Variants are rows of a table that the image medium owns.
  ownTables: ['video_frames', 'video_details'],
  index: imageIndex,
  exports: {
    joins: sql` left join video_details video on video.file_id = f.id`,
    columns: {
      duration_seconds: sql`video.duration_seconds`,
      frame_rate: sql`nullif(video.frame_rate, 0)`,
      video_codec: sql`video.codec`,
      resolution: sql`video.width || 'x' || video.height`,
    },
  },
  /** When a part of the video was last decoded, or a frame was last rendered or read. */
  async lastProgressAt(em, fileId) {
    const [row] = await em.execute<{ at: string | null }[]>(
      `select max(updated_at) as at from (
         select updated_at from video_details where file_id = ?
         union all select updated_at from video_frames where file_id = ?) as parts`,
      [fileId, fileId],
    );
    return row?.at ? new Date(row.at) : undefined;
  },
  async progress(em, fileId) {
    const details = await em.findOne(VideoDetails, { fileId }, { populate: ['scan'], refresh: true });
    if (!details) return undefined;
    const { scenesFound, thumbnailFrame, scan, durationSeconds } = details;
    if (!scenesFound) return `${clockTime(scan?.scannedSeconds ?? 0)} of ${clockTime(durationSeconds)}`;
    const frames = await listFrames(em, fileId);
    const done = frames.filter(({ objectKey, visibleText }) =>
      thumbnailFrame === null ? objectKey !== null : visibleText !== null,
    );
    return done.length < frames.length ? `frame ${done.length + 1} of ${frames.length}` : undefined;
  },
  /**
   * An interrupted analysis resumes where it ended; one that completed or was refused starts over. The frame
   * rows stay until they are replaced, since they account for the stored objects.
   */
  async prepareRetry(tx, { fileId, components: { video_analysis: before } }, retried) {
    const hasEnded = before?.status === 'completed' || !isRetryable(before?.error?.code);
    if (!retried.includes('video_analysis') || !hasEnded) return [];
    await tx.nativeUpdate(VideoDetails, { fileId }, { scan: null, scenesFound: false, thumbnailFrame: null });
    return [];
  },
};
