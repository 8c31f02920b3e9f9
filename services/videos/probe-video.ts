import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VideoReader, VideoSource } from '../../engines/video-reader/video-reader.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { VideoDetails } from '../../db/entities/videos/video-details.ts';
import { VIDEO_FORMATS } from '../../domain/media.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';

export interface VideoDeps {
  em: EntityManager;
  objects: ObjectStore;
  reader: VideoReader;
}

/**
 * Reads the container of a video: its duration, codec and tracks.
 *
 * @throws FileGone, and the errors of the reader
 */
export async function probeVideo(
  { em, objects, reader }: VideoDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId } = target;
  const known = await em.findOne(VideoDetails, { fileId }, { populate: ['scan'], refresh: true });
  if (known?.scenesFound || known?.scan) return;
  const { createdAt, ...facts } = await reader.probe(sourceOf(objects, file), signal);
  await recordStep(em, target, {
    changes: () => ({ contentCreatedAt: createdAt === undefined ? null : new Date(createdAt) }),
    async save(tx) {
      await tx.upsert(VideoDetails, {
        ...facts,
        fileId,
        scan: null,
        scenesFound: false,
        thumbnailFrame: null,
        blurHash: null,
        updatedAt: new Date(),
      });
    },
  });
}

/** The stored bytes of a video, read in ranges. */
export function sourceOf(
  objects: ObjectStore,
  { format, tenantId, sizeBytes, objectKey }: StoredFile,
): VideoSource {
  const known = VIDEO_FORMATS.find((each) => each === format);
  if (!known) throw new Error(`${format} is not a video format`);
  return {
    format: known,
    tenantId,
    sizeBytes,
    read: (range, signal) =>
      objects.read(objectKey, { range, signal, maxBytes: range.last - range.first + 1 }),
  };
}

/** The details of a video whose container has been read. */
export async function findDetails(em: EntityManager, fileId: string): Promise<VideoDetails> {
  const details = await em.findOne(VideoDetails, { fileId }, { populate: ['scan'], refresh: true });
  if (!details) throw new Error('the video was decoded before its container was read');
  return details;
}
