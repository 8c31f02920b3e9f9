/** Failures caused by the file itself, which a retry cannot change. */
const PERMANENT = new Set(['IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE', 'MODEL_REFUSED', 'ORIGINAL_MISSING']);

/** Whether retrying a failed file may succeed. */
export function isRetryable(code: string | undefined): boolean {
  return code === undefined || !PERMANENT.has(code);
}
