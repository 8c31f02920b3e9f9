import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { MediaType } from '../../../domain/media.ts';
import { AppError, type ErrorCode } from '../../../domain/app-error.ts';
import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';
import { isStorageFull, outage } from '../../shared/outage.ts';

/** The outcome of one file, as reported in the response. */
export interface FileOutcome extends Partial<Rejection> {
  index: number;
  filename: string;
  elapsedMs: number;
  kind: 'accepted' | 'skipped' | 'rejected';
  /** The created file, or the existing one. */
  fileId?: string;
  objectKey?: string;
  mediaType?: MediaType;
  file?: StoredFile;
}

/** Why a file was rejected. */
export interface Rejection {
  code: string;
  reason: string;
  /** Whether uploading it again later may succeed. */
  retryable: boolean;
}

const RETRYABLE = new Set<string>([
  'QUOTA_EXHAUSTED',
  'SERVICE_UNAVAILABLE',
  'STORAGE_FULL',
  ...BUCKET_FAILURES,
]);
/** Errors of one file, or of the bucket that it goes to. */
const FAULTS_OF_A_FILE = new Set<ErrorCode>([
  'EMPTY_FILE',
  'UNSUPPORTED_MEDIA',
  'FILE_TOO_LARGE',
  'QUOTA_EXHAUSTED',
  'UPLOAD_SESSION_ENDED',
  // Its folder was deleted after the request had begun.
  'NOT_FOUND',
  ...BUCKET_FAILURES,
]);

export function rejection(code: string, reason: string): Rejection {
  return { code, reason, retryable: RETRYABLE.has(code) };
}

/**
 * The rejection of a file for an error that it caused, or for an outage of the store.
 *
 * @throws every other error, which ends the request
 */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof AppError && FAULTS_OF_A_FILE.has(error.code)) {
    return rejection(error.code, error.message);
  }
  if (outage(error) !== 'object store') throw error;
  return isStorageFull(error)
    ? rejection('STORAGE_FULL', 'the server has no room left; try again later')
    : rejection('SERVICE_UNAVAILABLE', 'the object store cannot be reached; try again');
}
