import type { Body } from './api.ts';
import type { UploadSource } from './sources.ts';
import type { SendOptions } from './transport.ts';

type DirectUpload = Body<'/files/direct-uploads'>;

/** What is known of a file, by the names of the API. */
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

/** How a file is uploaded. */
export interface UploadOptions extends UploadFields, Omit<SendOptions, 'timeoutMs'> {
  /** Name of the file; by default that of the path, the URL or the `File`. */
  filename?: string | undefined;
  /** Type of the bytes; by default that of the `Blob`, or by the name. The API looks at the bytes. */
  contentType?: string | undefined;
  /**
   * Whether a file that has the same content is answered in place of a new one. By default it is not, but an upload whose
   * answer was lost is repeated with `true`; with `false` it is not repeated.
   */
  skip_duplicates?: boolean | undefined;
  /**
   * Larger files are sent to the object store, in parts; 32 MiB by default. In a browser 100 MB, the most that the API
   * itself takes, as the store has to allow the origin of the page.
   */
  directOverBytes?: number | undefined;
  /** Called as bytes are sent. In a browser, once for a file or for a part. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

/** A file that has arrived. */
export interface Uploaded {
  file_id: string;
  /** Whether the id is that of an older file with the same content. */
  skipped: boolean;
}

/** One file of many: where it was in the list, and its end. */
export type UploadOutcome = { index: number; source: UploadSource; filename: string } & (
  | { uploaded: Uploaded; error?: never }
  | { uploaded?: never; error: Error }
);

/** Minimum rate in bytes per second, for the deadline of a request with bytes. */
export const SLOWEST = 16 * 1024;

/** The fields as those of a form. */
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

/** Only what the API is told. */
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

const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  md: 'text/markdown',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
};
const SIGNATURES: [start: string, type: string | undefined][] = [
  ['\xff\xd8\xff', TYPES['jpg']],
  ['\x89PNG', TYPES['png']],
  ['RIFF', TYPES['webp']],
  ['GIF8', TYPES['gif']],
  ['%PDF-', TYPES['pdf']],
  ['PK\x03\x04', TYPES['docx']],
];

/** The type to announce a file with: as given, else by its first bytes, its `Blob` or its name. */
export async function contentTypeOf(
  { filename, blob }: { filename: string; blob: Blob },
  given?: string,
): Promise<string> {
  if (given) return given;
  const head = String.fromCodePoint(...new Uint8Array(await blob.slice(0, 16).arrayBuffer()));
  const [, signed] = SIGNATURES.find(([start]) => head.startsWith(start)) ?? [];
  const named = TYPES[filename.split('.').at(-1)?.toLowerCase() ?? ''];
  return signed ?? videoType(head, named) ?? (blob.type || named || 'application/octet-stream');
}

/** The type of a video by its first bytes; MP4 and QuickTime differ in a brand, WebM and Matroska later. */
function videoType(head: string, named: string | undefined): string | undefined {
  if (/^....ftypqt {2}/s.test(head)) return 'video/quicktime';
  if (/^....ftyp(isom|iso\d|mp4\d|avc1|M4V |dash)/s.test(head)) return 'video/mp4';
  if (!head.startsWith('\x1aE\xdf\xa3')) return undefined;
  return named === 'video/x-matroska' ? named : 'video/webm';
}

/** Whether a file may not pass through the API, whatever its size. */
export async function isDirectOnly(
  content: { filename: string; blob: Blob },
  given?: string,
): Promise<boolean> {
  return (await contentTypeOf(content, given)).startsWith('video/');
}
