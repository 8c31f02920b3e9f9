import { fileTypeFromBuffer } from 'file-type';
import { canonicalType, CONTENT_TYPES, TYPES_BY_EXTENSION } from '../../domain/media.ts';
import { otherKind } from './other-kinds.ts';
import { boxesIn } from '../boxes.ts';
import { primaryItem } from '../heif-items.ts';

const ZIP = 'application/zip';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.';
/** Readers find the header of a PDF anywhere in its first kilobyte. */
const PDF_HEADER_WITHIN = 1024;

/**
 * Detects a content type from leading bytes; for text, which has no signature, from its name or declared
 * type.
 *
 * @param head the first MAGIC_BYTES bytes of a file, or all of a smaller one
 * @returns undefined for other content, such as scripts and programs
 */
export async function sniffContentType(
  head: Uint8Array,
  declared: Declared = {},
): Promise<string | undefined> {
  const found = isoMediaType(head) ?? (await fileTypeFromBuffer(head))?.mime;
  // An animated PNG is a PNG to every reader; those that cannot animate show its first frame.
  if (found === 'image/apng') return 'image/png';
  // The API uses its own names.
  if (found === 'video/matroska') return 'video/x-matroska';
  if (found === ZIP || OFFICE_TYPES.has(found)) return officeType(head, declared) ?? ZIP;
  // XHTML is XML as well.
  const extension = extensionOf(declared.filename ?? '');
  // Templates are read like what they are for.
  if (found?.startsWith(OPEN_DOCUMENT)) return canonicalType(found);
  if (found !== undefined && found !== XML) return otherKind(found, head, '', extension);
  if (TIFF.test(Buffer.from(head.subarray(0, 4)).toString('latin1'))) return 'image/tiff';
  if (hasPdfHeader(head)) return textType(head, declared) ?? 'application/pdf';
  return textType(head, declared) ?? otherKind(found, head, decode(head), extension);
}

function hasPdfHeader(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, PDF_HEADER_WITHIN)).includes('%PDF-');
}

/** Most programs write the first directory of a TIFF, which the library looks for, behind the pixels. */
// oxlint-disable-next-line no-control-regex
const TIFF = /^(?:II\*\u0000|MM\u0000\*)/;
const XML = 'application/xml';
/** The extensions of Office documents, by the folder of their parts. */
const OFFICE_FOLDERS: Readonly<Record<string, string>> = { word: 'docx', xl: 'xlsx', ppt: 'pptx' };
const OFFICE_EXTENSIONS: readonly string[] = Object.values(OFFICE_FOLDERS);
const OFFICE_TYPES: ReadonlySet<string | undefined> = new Set(
  OFFICE_EXTENSIONS.map((extension) => TYPES_BY_EXTENSION.get(extension)),
);

const LOCAL_HEADER = Buffer.from('PK\u0003\u0004', 'latin1');
const NAME_LENGTH_AT = 26;
const NAME_AT = 30;

/**
 * The type of an Office document by the names of the entries in the head of the archive; if they are those that all
 * types begin with, by its name. The document reader verifies the rest: documents with macros or of other programs are
 * rejected.
 */
function officeType(head: Uint8Array, { filename = '' }: Declared): string | undefined {
  const names = entryNames(Buffer.from(head.buffer, head.byteOffset, head.byteLength));
  if (
    names.some((name) => name.startsWith('visio/') || name === 'mimetype' || name === 'AndroidManifest.xml')
  )
    return undefined;
  const folder = names.map((name) => /^(word|xl|ppt)\//.exec(name)?.[1]).find((found) => found !== undefined);
  if (folder !== undefined) return TYPES_BY_EXTENSION.get(OFFICE_FOLDERS[folder] ?? '');
  if (!['[Content_Types].xml', '_rels/.rels', 'docProps/app.xml'].includes(names[0] ?? '')) return undefined;
  const extension = extensionOf(filename) ?? '';
  return TYPES_BY_EXTENSION.get(OFFICE_EXTENSIONS.includes(extension) ? extension : 'docx');
}

/** Finds entries by signature, since the size of a streamed entry comes only after its data. */
function entryNames(head: Buffer): string[] {
  const names: string[] = [];
  for (let at = head.indexOf(LOCAL_HEADER); at >= 0; at = head.indexOf(LOCAL_HEADER, at + 1)) {
    if (at + NAME_AT > head.length) break;
    const length = head.readUInt16LE(at + NAME_LENGTH_AT);
    names.push(head.toString('utf8', at + NAME_AT, at + NAME_AT + length));
  }
  return names;
}

/** Name and type given by the client; used only to choose the type of a text. */
export interface Declared {
  filename?: string | undefined;
  contentType?: string | undefined;
}

const HTML = 'text/html';

/** Content that shells and servers execute under any name, and binary formats that begin with text. */
const PROGRAM = /^\s*(#!|<\?php|@echo\s+off|%PDF-|MZ)/i;
/** Content that browsers execute under any name. A heading or a paragraph in HTML is common in Markdown. */
const ACTIVE = /^\s*(<!doctype\s+(html|svg)|<html|<head|<body|<script|<iframe|<svg|<\?xml)/i;
/** Minimum number of bytes for a guess. */
const LEAST_UTF16 = 16;
/** Control characters that do not occur in text. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/**
 * The type of a text by its extension, or by its declared type if its name has none.
 *
 * @returns undefined for anything else, for scripts, for HTML under another name, and for binary content
 */
function textType(head: Uint8Array, { filename = '', contentType = '' }: Declared): string | undefined {
  const extension = extensionOf(filename);
  const type = extension === undefined ? canonicalType(contentType) : TYPES_BY_EXTENSION.get(extension);
  if (!type?.startsWith('text/') || !Object.hasOwn(CONTENT_TYPES, type)) return undefined;
  const text = decode(head);
  if (text.trim() === '' || BINARY.test(text) || PROGRAM.test(text)) return undefined;
  return ACTIVE.test(text) && type !== HTML ? undefined : type;
}

/** In lower case; undefined without one. */
function extensionOf(filename: string): string | undefined {
  return /\.([^.\\/]+)$/.exec(filename)?.[1]?.toLowerCase();
}

function decode(head: Uint8Array): string {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(head);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(head);
  // UTF-16 without a byte order mark: most Latin text has a zero in every other byte.
  const zeros = head.length < LEAST_UTF16 ? [] : [0, 1].map((odd) => share(head, odd));
  if ((zeros[1] ?? 0) > 0.4 && (zeros[0] ?? 0) < 0.1) return new TextDecoder('utf-16le').decode(head);
  if ((zeros[0] ?? 0) > 0.4 && (zeros[1] ?? 0) < 0.1) return new TextDecoder('utf-16be').decode(head);
  return Buffer.from(head)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
}

/** The share of zeros among the bytes at even or odd offsets. */
function share(head: Uint8Array, odd: number): number {
  const bytes = head.filter((_, at) => at % 2 === odd);
  return bytes.length === 0 ? 0 : bytes.filter((byte) => byte === 0).length / bytes.length;
}

/** Boxes with which QuickTime files without a file type begin. */
const QUICKTIME_BOXES = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot', 'udta', 'PICT'];
const STILL_BRANDS = /^(avi[fs]|he[iv][a-z]|mi[af][0-9f]|msf1)$/;
const AUDIO_BRANDS = ['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B '];
const CANON_RAW = 'crx ';
const CODINGS: Readonly<Record<string, string>> = {
  av01: 'image/avif',
  hvc1: 'image/heic',
  hev1: 'image/heic',
};

/**
 * The type of a file of boxes: MP4, QuickTime, AVIF, HEIC. Of a picture, its coding decides; brands only if the index is
 * beyond the leading bytes.
 *
 * @returns undefined for other files
 */
function isoMediaType(leading: Uint8Array): string | undefined {
  const head = Buffer.from(leading.buffer, leading.byteOffset, leading.byteLength);
  const [first, ...others] = boxesIn(head);
  if (first?.type !== 'ftyp') {
    const isKnown = first && [first, ...others].every(({ type }) => QUICKTIME_BOXES.includes(type));
    return isKnown ? 'video/quicktime' : undefined;
  }
  const brands: string[] = [];
  for (let at = first.start; at + 4 <= first.end; at += at === first.start ? 8 : 4) {
    brands.push(head.toString('latin1', at, at + 4));
  }
  const [major = ''] = brands;
  if (STILL_BRANDS.test(major) || (brands.some((brand) => STILL_BRANDS.test(brand)) && !hasMovie(others))) {
    return pictureType(head, brands);
  }
  if (major === CANON_RAW) return 'image/x-canon-cr3';
  if (AUDIO_BRANDS.includes(major)) return 'audio/mp4';
  return major === 'qt  ' ? 'video/quicktime' : 'video/mp4';
}

function hasMovie(boxes: readonly { type: string }[]): boolean {
  return boxes.some(({ type }) => type === 'moov' || type === 'mdat');
}

function pictureType(head: Buffer, brands: readonly string[]): string {
  const coding = primaryItem(head)?.coding;
  if (coding !== undefined) return CODINGS[coding] ?? 'image/heif';
  if (brands.some((brand) => brand.startsWith('avi'))) return 'image/avif';
  return brands.some((brand) => /^he[iv]/.test(brand)) ? 'image/heic' : 'image/heif';
}
