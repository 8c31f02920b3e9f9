import { AppError, type ErrorCode } from './app-error.ts';

/** Why the bucket of a tenant's own cannot be used. It is no outage of ours, and hinders nobody else. */
export const BUCKET_FAILURES = [
  'STORAGE_REJECTED',
  'STORAGE_UNREACHABLE',
  'ENCRYPTION_KEY_UNKNOWN',
] as const satisfies readonly ErrorCode[];
export type BucketFailureCode = (typeof BUCKET_FAILURES)[number];

const FIRST_RETRY_SECONDS = 10;
const MAX_RETRY_SECONDS = 1800;

/** Whether an error says that the tenant's own bucket cannot be used. */
export function isBucketFailure(error: unknown): error is AppError & { code: BucketFailureCode } {
  return error instanceof AppError && BUCKET_FAILURES.some((code) => code === error.code);
}

/**
 * How long a step waits for the bucket after so many attempts. Its tenant may need days to set it right, with thousands of
 * files waiting.
 */
export function bucketRetrySeconds(attempt: number): number {
  return Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), MAX_RETRY_SECONDS);
}
