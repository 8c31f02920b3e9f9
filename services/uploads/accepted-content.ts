import { CONTENT_TYPES, type FileFormat, type MediaType } from '../../domain/media.ts';
import { AppError } from '../../domain/app-error.ts';
import { requirePipeline } from '../../domain/pipelines/index.ts';

export interface AcceptedContent {
  contentType: string;
  mediaType: MediaType;
  format: FileFormat;
}

/** @throws AppError UNSUPPORTED_MEDIA for an unknown type, and for a medium without a pipeline */
export function acceptedContent(contentType = 'unknown'): AcceptedContent {
  const kind = Object.hasOwn(CONTENT_TYPES, contentType) ? CONTENT_TYPES[contentType] : undefined;
  if (!kind) throw new AppError('UNSUPPORTED_MEDIA', `files of type ${contentType} are not accepted`);
  requirePipeline(kind.mediaType);
  return { contentType, ...kind };
}

/**
 * The same for a type as declared by a client: `image/JPG; q=1` means `image/jpeg`.
 *
 * @throws AppError UNSUPPORTED_MEDIA
 */
export function declaredContent(given: string): AcceptedContent {
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  return acceptedContent(type === 'image/jpg' ? 'image/jpeg' : type);
}
