import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import type { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { findVariants } from '../images/read-image.ts';
import { listFrames } from './render-key-frames.ts';

/** The video-specific part of a file. */
export interface VideoView {
  /** Null until the container has been read. */
  details: VideoDetails | null;
  variants: FileVariant[];
  /** The rendered key frames, by time. */
  frames: VideoFrame[];
}

export async function readVideo(em: EntityManager, file: StoredFile): Promise<VideoView> {
  const details = await em.findOne(VideoDetails, { fileId: file.id }, { populate: ['scan'] });
  const variants = await findVariants(em, [file]);
  const frames = await listFrames(em, file.id);
  return { details, variants, frames: frames.filter(({ objectKey }) => objectKey !== null) };
}

/** The fields of a video in lists. */
export type VideoItem = Pick<VideoView, 'details' | 'variants'>;

/** Details and variants of a page of videos, by file id. */
export async function readVideoItems(
  em: EntityManager,
  files: readonly Pick<StoredFile, 'id'>[],
): Promise<Map<string, VideoItem>> {
  const ids = files.map(({ id }) => id);
  const details = await em.find(VideoDetails, { fileId: { $in: ids } });
  const variants = await findVariants(em, files);
  return new Map(
    ids.map((id) => [
      id,
      {
        details: details.find(({ fileId }) => fileId === id) ?? null,
        variants: variants.filter(({ fileId }) => fileId === id),
      },
    ]),
  );
}
