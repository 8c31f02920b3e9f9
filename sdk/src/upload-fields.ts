import type { Body } from './api.ts';
import { TYPES_BY_EXTENSION as TYPES } from './content-types.ts';
import type { UploadSource } from './sources.ts';
import type { SendOptions } from './transport.ts';

type DirectUpload = Body<'/files/direct-uploads'>;

/** Metadata of a file, with the field names of the API. */
export type UploadFields = Omit<
  DirectUpload,
  | 'filename'
  | 'content_type'
  | 'size_bytes'
  | 'claimed_file_hash'
  | 'upload_mode'
  | 'part_size_bytes'
  | 'skip_duplicates'
>;

/** Options of an upload. */
export interface UploadOptions extends UploadFields, Omit<SendOptions, 'timeoutMs'> {
  /** Name of the file; by default taken from the path, the URL or the `File`. */
  filename?: string | undefined;
  /** Media type; by default taken from the bytes, the `Blob` or the name. The API checks the bytes. */
  contentType?: string | undefined;
  /**
   * Whether to return an existing file with the same content instead of creating one. By default it is not, but an
   * upload whose response was lost is retried with `true`; with `false` it is not retried.
   */
  skip_duplicates?: boolean | undefined;
  /**
   * Larger files are sent directly to the object store; 32 MiB by default. In browsers 100 MiB, the maximum of the API,
   * because the store would have to allow the origin of the page.
   */
  directOverBytes?: number | undefined;
  /** Called as bytes are sent; in browsers only once per file or part. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

/** A stored file. */
export interface Uploaded {
  file_id: string;
  /** Whether the id is that of an older file with the same content. */
  skipped: boolean;
}

/** The outcome of one of many files, with its index in the list. */
export type UploadOutcome = { index: number; source: UploadSource; filename: string } & (
  | { uploaded: Uploaded; error?: never }
  | { uploaded?: never; error: Error }
);

/** Minimum rate in bytes per second, which extends the timeout of a request by the time for its bytes. */
export const SLOWEST = 16 * 1024;

/** The fields of a form. @param repeated whether an earlier attempt may have taken effect */
export function formFields(
  { skip_duplicates: skip, ...options }: UploadOptions,
  repeated: boolean,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(fieldsOf(options))) {
    if (value !== undefined && value !== null)
      fields[name] = Array.isArray(value) ? value.join(',') : String(value);
  }
  if (repeated || skip !== undefined) fields['skip_duplicates'] = String(repeated || skip);
  return fields;
}

/** The options that are fields of the API. */
export function fieldsOf(options: UploadOptions): UploadFields {
  const {
    filename: _filename,
    contentType: _contentType,
    skip_duplicates: _skip,
    directOverBytes: _over,
    onProgress: _progress,
    signal: _signal,
    retries: _retries,
    onRetry: _note,
    ...fields
  } = options;
  return fields;
}

/** Archives, which differ in their parts. */
const ZIPS = new Set(
  ['docx', 'xlsx', 'pptx', 'epub', 'odt', 'ods', 'odp'].map((extension) => TYPES.get(extension)),
);
const SIGNATURES: [start: string, type: string | undefined][] = [
  ['\xff\xd8\xff', TYPES.get('jpg')],
  ['\x89PNG', TYPES.get('png')],
  ['RIFF', TYPES.get('webp')],
  ['GIF8', TYPES.get('gif')],
  ['%PDF-', TYPES.get('pdf')],
  ['PK\x03\x04', TYPES.get('docx')],
];

/** The declared type of a file: the given one, else by its first bytes, its `Blob` or its name. */
export async function contentTypeOf(
  { filename, blob }: { filename: string; blob: Blob },
  given?: string,
): Promise<string> {
  if (given) return given;
  const head = String.fromCodePoint(...new Uint8Array(await blob.slice(0, 16).arrayBuffer()));
  const [, signed] = SIGNATURES.find(([start]) => head.startsWith(start)) ?? [];
  const named = TYPES.get(filename.split('.').at(-1)?.toLowerCase() ?? '');
  if (named && ZIPS.has(signed) && ZIPS.has(named)) return named;
  return signed ?? videoType(head, named) ?? (blob.type || named || 'application/octet-stream');
}

/**
 * The type of a video by its first bytes: MP4 and QuickTime differ in the brand, WebM and Matroska only by name here.
 */
function videoType(head: string, named: string | undefined): string | undefined {
  if (/^....ftypqt {2}/s.test(head)) return 'video/quicktime';
  if (/^....ftyp(isom|iso\d|mp4\d|avc1|M4V |dash)/s.test(head)) return 'video/mp4';
  if (!head.startsWith('\x1aE\xdf\xa3')) return undefined;
  return named === 'video/x-matroska' ? named : 'video/webm';
}

/** Whether the API does not accept the bytes of a file of any size: true for videos. */
export async function isDirectOnly(
  content: { filename: string; blob: Blob },
  given?: string,
): Promise<boolean> {
  return (await contentTypeOf(content, given)).startsWith('video/');
}
