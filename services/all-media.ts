import type { ProcessedMedia } from '../domain/pipelines/index.ts';
import { documentMedium } from './documents/document-medium.ts';
import { imageMedium } from './images/image-medium.ts';
import { linkMedium } from './links/link-medium.ts';
import { registerMedium, type Medium } from './media/medium.ts';
import { videoMedium } from './videos/video-medium.ts';

/** A medium that has a pipeline but is missing here is a compile error. */
const MEDIA: Readonly<Record<ProcessedMedia, Medium>> = {
  image: imageMedium,
  document: documentMedium,
  link: linkMedium,
  video: videoMedium,
};

/** Registers every medium; each entry point of a process that uses services of files calls it once. */
export function registerMedia(): void {
  for (const medium of Object.values(MEDIA)) registerMedium(medium);
}
