import { fileTypeFromBuffer } from 'file-type';
import { CONTENT_TYPES } from '../domain/media.ts';
import type { ImageFormat, MediaType } from '../domain/media.ts';
import { Refusal } from '../domain/refusal.ts';

export interface DetectedContent {
  contentType: string;
  mediaType: MediaType;
  format: ImageFormat;
}

/**
 * What a file is, by its leading bytes alone.
 *
 * @throws Refusal UNSUPPORTED_MEDIA, naming what it looks like
 */
export async function detectContent(head: Uint8Array): Promise<DetectedContent> {
  const found = await fileTypeFromBuffer(head);
  const accepted = found && CONTENT_TYPES[found.mime];
  if (accepted) return { contentType: found.mime, ...accepted };
  const looks = found ? `this looks like ${found.mime}` : 'the leading bytes belong to no known format';
  throw new Refusal('UNSUPPORTED_MEDIA', `only JPEG, PNG, WebP and GIF are accepted; ${looks}`);
}
