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
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

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
  [`${OPEN_DOCUMENT}.text`]: { mediaType: 'document', format: 'odt' },
  [`${OPEN_DOCUMENT}.spreadsheet`]: { mediaType: 'document', format: 'ods' },
  [`${OPEN_DOCUMENT}.presentation`]: { mediaType: 'document', format: 'odp' },
  'application/rtf': { mediaType: 'document', format: 'rtf' },
  'message/rfc822': { mediaType: 'document', format: 'eml' },
  'application/vnd.ms-outlook': { mediaType: 'document', format: 'msg' },
  'video/mp4': { mediaType: 'video', format: 'mp4' },
  'video/quicktime': { mediaType: 'video', format: 'mov' },
  'video/webm': { mediaType: 'video', format: 'webm' },
  'video/x-matroska': { mediaType: 'video', format: 'mkv' },
};

/** Other names of accepted content types, which clients and systems use. */
const TYPE_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/jpeg': ['jpg', 'pjpeg', 'x-jpeg', 'x-jpg', 'x-citrix-jpeg'].map((name) => `image/${name}`),
    'image/png': ['image/x-png', 'image/apng', 'image/vnd.mozilla.apng', 'image/x-citrix-png'],
    'image/webp': ['image/x-webp'],
    'image/avif': ['image/avif-sequence', 'image/x-avif'],
    'image/heic': [
      'image/heif',
      'image/heic-sequence',
      'image/heif-sequence',
      'image/x-heic',
      'image/x-heif',
    ],
    'image/tiff': ['image/tif', 'image/x-tif', 'image/x-tiff', 'image/tiff-fx', 'application/tiff'],
    'application/pdf': ['application/x-pdf', 'application/acrobat', 'text/pdf'],
    'text/markdown': ['text/x-markdown', 'text/vnd.daringfireball.markdown'],
    'text/html': ['application/xhtml+xml'],
    'text/csv': ['application/csv', 'text/x-csv', 'text/tab-separated-values', 'text/comma-separated-values'],
    ...Object.fromEntries(
      ['text', 'spreadsheet', 'presentation'].map((kind) => [
        `${OPEN_DOCUMENT}.${kind}`,
        [`${OPEN_DOCUMENT}.${kind}-template`],
      ]),
    ),
    'application/rtf': ['text/rtf', 'text/richtext', 'application/x-rtf'],
    'application/epub+zip': ['application/epub', 'application/x-epub+zip'],
    'video/mp4': ['x-m4v', 'm4v', 'x-mp4', 'mp4v-es', '3gpp', '3gpp2', 'x-f4v', 'mpeg4']
      .map((name) => `video/${name}`)
      .concat('application/mp4'),
    'video/quicktime': ['video/x-quicktime', 'video/mov', 'image/mov'],
    'video/webm': ['video/x-webm', 'application/webm'],
    'video/x-matroska': ['video/matroska', 'video/mkv', 'application/x-matroska'],
  }).flatMap(([type, aliases]) => aliases.map((alias) => [alias, type] as const)),
);

/** The API's name of a content type: `Image/JPG; q=1` is `image/jpeg`. Unknown ones are only tidied. */
export function canonicalType(given: string): string {
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  return TYPE_ALIASES.get(type) ?? type;
}

/** Accepted content types by extension, in lower case. Both SDKs have a generated copy. */
export const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    jfif: 'image/jpeg',
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
    odt: `${OPEN_DOCUMENT}.text`,
    ott: `${OPEN_DOCUMENT}.text`,
    ods: `${OPEN_DOCUMENT}.spreadsheet`,
    ots: `${OPEN_DOCUMENT}.spreadsheet`,
    odp: `${OPEN_DOCUMENT}.presentation`,
    otp: `${OPEN_DOCUMENT}.presentation`,
    rtf: 'application/rtf',
    eml: 'message/rfc822',
    msg: 'application/vnd.ms-outlook',
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    '3gp': 'video/mp4',
    '3g2': 'video/mp4',
    mov: 'video/quicktime',
    qt: 'video/quicktime',
    webm: 'video/webm',
    mkv: 'video/x-matroska',
  }),
);

/** The accepted content type of a file by the extension of its name. */
export function typeOfName(filename: string): string | undefined {
  return TYPES_BY_EXTENSION.get(/\.([^.\\/]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '');
}

/** A TIFF of several pages, which is a scan or a fax. */
export const TIFF_PAGES = { mediaType: 'document', format: 'tiff' } as const;
