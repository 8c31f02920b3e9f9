import type { DocumentType } from './documents/document-type.ts';

/** Media types, determined by the leading bytes of a file. Only text formats are distinguished by file name. */
export const MEDIA_TYPES = ['image', 'document', 'video', 'link'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export const IMAGE_FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export const VIDEO_FORMATS = ['mp4', 'mov', 'webm', 'mkv'] as const;
export type VideoFormat = (typeof VIDEO_FORMATS)[number];

/** Format of a link, whose original is its URL. */
export const LINK_FORMAT = 'url';

export type FileFormat = ImageFormat | DocumentType | VideoFormat | typeof LINK_FORMAT;

/** Number of leading bytes that identify every accepted format. */
export const MAGIC_BYTES = 4100;

/** Accepted content types. */
export const CONTENT_TYPES: Readonly<Record<string, { mediaType: MediaType; format: FileFormat }>> = {
  'image/jpeg': { mediaType: 'image', format: 'jpeg' },
  'image/png': { mediaType: 'image', format: 'png' },
  'image/webp': { mediaType: 'image', format: 'webp' },
  'image/gif': { mediaType: 'image', format: 'gif' },
  'image/avif': { mediaType: 'image', format: 'avif' },
  'image/tiff': { mediaType: 'image', format: 'tiff' },
  'application/pdf': { mediaType: 'document', format: 'pdf' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    mediaType: 'document',
    format: 'docx',
  },
  'text/plain': { mediaType: 'document', format: 'txt' },
  'text/markdown': { mediaType: 'document', format: 'md' },
  'text/html': { mediaType: 'document', format: 'html' },
  'text/csv': { mediaType: 'document', format: 'csv' },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    mediaType: 'document',
    format: 'xlsx',
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    mediaType: 'document',
    format: 'pptx',
  },
  'application/epub+zip': { mediaType: 'document', format: 'epub' },
  'video/mp4': { mediaType: 'video', format: 'mp4' },
  'video/quicktime': { mediaType: 'video', format: 'mov' },
  'video/webm': { mediaType: 'video', format: 'webm' },
  'video/x-matroska': { mediaType: 'video', format: 'mkv' },
};

/** A TIFF of several pages, which is a scan or a fax. */
export const TIFF_PAGES = { mediaType: 'document', format: 'tiff' } as const;
