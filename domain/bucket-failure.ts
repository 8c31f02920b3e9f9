import { AppError, type ErrorCode } from './app-error.ts';

/** Why a tenant's own bucket cannot be used. This is not an outage of the service and does not affect other tenants. */
export const BUCKET_FAILURES = [
  'STORAGE_REJECTED',
  'STORAGE_UNREACHABLE',
  'ENCRYPTION_KEY_UNKNOWN',
] as const satisfies readonly ErrorCode[];
export type BucketFailureCode = (typeof BUCKET_FAILURES)[number];

const FIRST_RETRY_SECONDS = 10;
const MAX_RETRY_SECONDS = 1800;

/** Whether an error means that the tenant's own bucket cannot be used. */
export function isBucketFailure(error: unknown): error is AppError & { code: BucketFailureCode } {
  return error instanceof AppError && BUCKET_FAILURES.some((code) => code === error.code);
}

/**
 * Delay before a step retries an unusable bucket. The tenant may need days to repair it, with thousands of files
 * waiting.
 */
export function bucketRetrySeconds(attempt: number): number {
  return Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), MAX_RETRY_SECONDS);
}
