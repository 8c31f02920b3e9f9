import type { DocumentType } from 'darkroom-reader/document';

/** Media types, determined by the leading bytes of a file. Only text formats are distinguished by file name. */
export const MEDIA_TYPES = ['image', 'document', 'video', 'link'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export const IMAGE_FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif', 'heic', 'tiff'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export const VIDEO_FORMATS = ['mp4', 'mov', 'webm', 'mkv'] as const;
export type VideoFormat = (typeof VIDEO_FORMATS)[number];

/** Format of a link, whose original is its URL. */
export const LINK_FORMAT = 'url';

export type FileFormat = ImageFormat | DocumentType | VideoFormat | typeof LINK_FORMAT;

/** Number of leading bytes that identify every accepted format. */
export const MAGIC_BYTES = 4100;

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** Accepted content types. */
export const CONTENT_TYPES: Readonly<Record<string, { mediaType: MediaType; format: FileFormat }>> = {
  'image/jpeg': { mediaType: 'image', format: 'jpeg' },
  'image/png': { mediaType: 'image', format: 'png' },
  'image/webp': { mediaType: 'image', format: 'webp' },
  'image/gif': { mediaType: 'image', format: 'gif' },
  'image/avif': { mediaType: 'image', format: 'avif' },
  'image/heic': { mediaType: 'image', format: 'heic' },
  'image/tiff': { mediaType: 'image', format: 'tiff' },
  'application/pdf': { mediaType: 'document', format: 'pdf' },
  [`${OFFICE}.wordprocessingml.document`]: { mediaType: 'document', format: 'docx' },
  'text/plain': { mediaType: 'document', format: 'txt' },
  'text/markdown': { mediaType: 'document', format: 'md' },
  'text/html': { mediaType: 'document', format: 'html' },
  'text/csv': { mediaType: 'document', format: 'csv' },
  [`${OFFICE}.spreadsheetml.sheet`]: { mediaType: 'document', format: 'xlsx' },
  [`${OFFICE}.presentationml.presentation`]: { mediaType: 'document', format: 'pptx' },
  'application/epub+zip': { mediaType: 'document', format: 'epub' },
  'video/mp4': { mediaType: 'video', format: 'mp4' },
  'video/quicktime': { mediaType: 'video', format: 'mov' },
  'video/webm': { mediaType: 'video', format: 'webm' },
  'video/x-matroska': { mediaType: 'video', format: 'mkv' },
};

/** Accepted content types by extension, in lower case. Both SDKs have a generated copy. */
export const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
    gif: 'image/gif',
    avif: 'image/avif',
    heic: 'image/heic',
    heif: 'image/heic',
    hif: 'image/heic',
    tif: 'image/tiff',
    tiff: 'image/tiff',
    pdf: 'application/pdf',
    docx: `${OFFICE}.wordprocessingml.document`,
    txt: 'text/plain',
    text: 'text/plain',
    md: 'text/markdown',
    markdown: 'text/markdown',
    html: 'text/html',
    htm: 'text/html',
    xhtml: 'text/html',
    csv: 'text/csv',
    tsv: 'text/csv',
    xlsx: `${OFFICE}.spreadsheetml.sheet`,
    pptx: `${OFFICE}.presentationml.presentation`,
    epub: 'application/epub+zip',
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    mov: 'video/quicktime',
    webm: 'video/webm',
    mkv: 'video/x-matroska',
  }),
);

/** A TIFF of several pages, which is a scan or a fax. */
export const TIFF_PAGES = { mediaType: 'document', format: 'tiff' } as const;
