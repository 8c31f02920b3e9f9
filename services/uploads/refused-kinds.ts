/** What people call kinds of files that are not accepted, by content type. */
const NAMES: Readonly<Record<string, string>> = {
  'image/svg+xml': 'SVG drawings',
  'image/heif': 'HEIF images of another codec than HEVC and AV1',
  'image/bmp': 'BMP images',
  'image/x-icon': 'icons',
  'image/jxl': 'JPEG XL images',
  'image/jp2': 'JPEG 2000 images',
  'image/jpx': 'JPEG 2000 images',
  'image/jpm': 'JPEG 2000 images',
  'image/vnd.adobe.photoshop': 'Photoshop documents',
  'image/vnd.djvu': 'DjVu documents',
  'application/dicom': 'DICOM images',
  'application/postscript': 'PostScript documents',
  'application/eps': 'PostScript documents',
  'application/illustrator': 'Illustrator documents',
  'application/msword': 'old Word documents (DOC)',
  'application/vnd.ms-excel': 'old Excel workbooks (XLS)',
  'application/vnd.ms-powerpoint': 'old PowerPoint presentations (PPT)',
  'application/x-cfb': 'old Office documents, and those with a password,',
  'application/vnd.visio': 'Visio drawings',
  'application/vnd.oasis.opendocument.graphics': 'OpenDocument drawings (ODG)',
  'application/x-mobipocket-ebook': 'Mobipocket books',
  'text/calendar': 'calendars',
  'text/vcard': 'contacts',
  'application/xml': 'XML documents',
  'application/json': 'JSON files',
  'application/zip': 'ZIP archives',
  'application/x-7z-compressed': '7z archives',
  'application/x-rar-compressed': 'RAR archives',
  'application/x-tar': 'TAR archives',
  'application/gzip': 'compressed files (GZIP)',
  'application/x-bzip2': 'compressed files (BZIP2)',
  'application/x-xz': 'compressed files (XZ)',
  'application/zstd': 'compressed files (ZSTD)',
  'application/vnd.sqlite3': 'SQLite databases',
  'application/x-sqlite3': 'SQLite databases',
  'application/x-msdownload': 'Windows programs',
  'application/x-elf': 'programs',
  'application/x-mach-binary': 'programs',
  'application/java-vm': 'programs',
  'application/wasm': 'programs',
  'application/vnd.android.package-archive': 'Android apps',
  'application/x-apple-diskimage': 'disk images',
  'application/x-iso9660-image': 'disk images',
  'application/x-shockwave-flash': 'Flash films',
  'application/ogg': 'Ogg files',
  'video/x-msvideo': 'AVI videos',
  'video/vnd.avi': 'AVI videos',
  'video/x-flv': 'Flash videos (FLV)',
  'video/x-ms-asf': 'Windows Media videos',
  'application/vnd.ms-asf': 'Windows Media files',
  'video/x-ms-wmv': 'Windows Media videos',
  'video/mpeg': 'MPEG-1 and MPEG-2 videos',
  'video/mp2t': 'MPEG transport streams',
  'video/mp1s': 'MPEG-1 and MPEG-2 videos',
  'video/mp2p': 'MPEG-1 and MPEG-2 videos',
  'video/ogg': 'Ogg videos',
};

/** Kinds with many types. */
const FAMILIES: readonly [RegExp, string][] = [
  [
    /^image\/x-(adobe|canon|fujifilm|kodak|nikon|olympus|panasonic|pentax|sigma|sony)-/,
    'raw images of cameras',
  ],
  [/^audio\//, 'audio files'],
  [/^font\//, 'fonts'],
];

/** What people call a kind that is not accepted, in the plural; undefined for an unknown one. */
export function nameOfKind(contentType: string): string | undefined {
  if (Object.hasOwn(NAMES, contentType)) return NAMES[contentType];
  return FAMILIES.find(([pattern]) => pattern.test(contentType))?.[1];
}

/** What to send instead of formats that offices still have. */
const INSTEAD: Readonly<Record<string, string>> = {
  'application/msword': 'DOCX or PDF',
  'application/vnd.ms-excel': 'XLSX, CSV or PDF',
  'application/vnd.ms-powerpoint': 'PPTX or PDF',
  'application/x-cfb': 'DOCX, XLSX, PPTX or PDF, without a password',
};

/** What to do with a file of a kind that is not accepted; undefined for one that has no other form. */
export function insteadOf(contentType: string): string | undefined {
  return Object.hasOwn(INSTEAD, contentType) ? `save them as ${INSTEAD[contentType]}` : undefined;
}
