import { CONTENT_TYPES, type FileFormat, type MediaType } from '../../domain/media.ts';
import { AppError } from '../../domain/app-error.ts';
import { requirePipeline } from '../../domain/pipelines/index.ts';

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

/** What to send instead of formats that offices still have, by their types. */
const INSTEAD: Readonly<Record<string, string>> = {
  'application/x-cfb application/msword application/vnd.ms-excel application/vnd.ms-powerpoint application/vnd.ms-outlook':
    'Office files of before 2007 (DOC, XLS, PPT), those with a password, and mails of Outlook (MSG) are not accepted; save them as ' +
    'DOCX, XLSX, PPTX or PDF, without a password',
  'application/rtf text/rtf': 'RTF files are not accepted; save them as DOCX or PDF',
  'application/vnd.oasis.opendocument.text': 'ODT files are not accepted; save them as DOCX or PDF',
  'application/vnd.oasis.opendocument.spreadsheet':
    'ODS files are not accepted; save them as XLSX, CSV or PDF',
  'application/vnd.oasis.opendocument.presentation': 'ODP files are not accepted; save them as PPTX or PDF',
  'message/rfc822': 'mails (EML) are not accepted; save them as PDF, HTML or TXT',
};

/**
 * @param only the accepted medium, if not all are
 * @throws AppError UNSUPPORTED_MEDIA for an unknown type, for another medium, and for one without a pipeline
 */
export function acceptedContent(contentType = 'unknown', only?: MediaType): AcceptedContent {
  const kind = Object.hasOwn(CONTENT_TYPES, contentType) ? CONTENT_TYPES[contentType] : undefined;
  if (!kind) {
    const hint = Object.entries(INSTEAD).find(([types]) => types.split(' ').includes(contentType))?.[1];
    const message = hint ?? `files of type ${contentType} are not accepted; send ${acceptedFormats()}`;
    throw new AppError('UNSUPPORTED_MEDIA', message);
  }
  if (only && kind.mediaType !== only) {
    throw new AppError(
      'UNSUPPORTED_MEDIA',
      `${contentType} is not accepted here; send ${acceptedFormats(only)}`,
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
    message: 'such files go straight to the object store',
  };
  throw new AppError('UNSUPPORTED_MEDIA', message, { suggestion });
}

/**
 * Like `acceptedContent`, for a type declared by a client: `image/JPG; q=1` means `image/jpeg`.
 *
 * @throws AppError UNSUPPORTED_MEDIA
 */
export function declaredContent(given: string): AcceptedContent {
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  return acceptedContent(type === 'image/jpg' ? 'image/jpeg' : type);
}
