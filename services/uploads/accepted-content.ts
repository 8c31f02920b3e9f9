import {
  canonicalType,
  CONTENT_TYPES,
  type FileFormat,
  type MediaType,
  typeOfName,
} from '../../domain/media.ts';
import { AppError } from '../../domain/app-error.ts';
import { requirePipeline } from '../../domain/pipelines/index.ts';
import { insteadOf, nameOfKind } from './refused-kinds.ts';

export interface AcceptedContent {
  contentType: string;
  mediaType: MediaType;
  format: FileFormat;
}

/** The accepted formats, for messages: `PDF, DOCX, TXT or MD`. */
export function acceptedFormats(only?: MediaType): string {
  const kinds = Object.values(CONTENT_TYPES).filter(({ mediaType }) => !only || mediaType === only);
  const names = kinds.map(({ format }) => format.toUpperCase());
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/**
 * @param only the accepted medium, if not all are
 * @throws AppError UNSUPPORTED_MEDIA for an unknown type, for another medium, and for one without a pipeline
 */
export function acceptedContent(contentType = '', only?: MediaType): AcceptedContent {
  const kind = kindOf(contentType);
  if (!kind) {
    const unnamed = contentType ? `files of the type ${contentType}` : 'files of an unknown kind';
    const instead = insteadOf(contentType) ?? `send ${acceptedFormats()}`;
    const message = `${nameOfKind(contentType) ?? unnamed} are not accepted; ${instead}`;
    throw new AppError('UNSUPPORTED_MEDIA', message);
  }
  if (only && kind.mediaType !== only) {
    throw new AppError(
      'UNSUPPORTED_MEDIA',
      `${kind.format.toUpperCase()} is not accepted here; send ${acceptedFormats(only)}`,
    );
  }
  requirePipeline(kind.mediaType);
  return { contentType, ...kind };
}

/**
 * Like `acceptedContent`, for content that passes through the API.
 *
 * @throws AppError UNSUPPORTED_MEDIA, with the alternative way for media that have one
 */
export function streamedContent(contentType?: string): AcceptedContent {
  const content = acceptedContent(contentType);
  if (!requirePipeline(content.mediaType).directOnly) return content;
  const message = `${content.mediaType}s do not pass through here; use a direct upload`;
  const suggestion = {
    endpoint: '/api/v2/files/direct-uploads',
    message: 'such files are uploaded straight to the object store',
  };
  throw new AppError('UNSUPPORTED_MEDIA', message, { suggestion });
}

/**
 * What a file is expected to be, by the type that its client declares, which only hints at it, or by its name. The bytes
 * decide later: a kind that nothing tells is expected to be an image.
 *
 * @throws AppError UNSUPPORTED_MEDIA for a type that names another kind, so that no bytes are sent in vain
 */
export function expectedContent({ contentType, filename }: Declared): Omit<AcceptedContent, 'format'> & {
  format: string;
} {
  const declared = canonicalType(contentType);
  // Systems declare a CSV to be a workbook.
  const named = nameOfKind(declared) !== undefined && declared !== 'application/vnd.ms-excel';
  if (kindOf(declared) || named) return acceptedContent(declared);
  const byName = typeOfName(filename);
  if (byName !== undefined) return acceptedContent(byName);
  return { contentType: 'application/octet-stream', mediaType: 'image', format: 'unknown' };
}

interface Declared {
  contentType: string;
  filename: string;
}

function kindOf(contentType: string) {
  return Object.hasOwn(CONTENT_TYPES, contentType) ? CONTENT_TYPES[contentType] : undefined;
}
