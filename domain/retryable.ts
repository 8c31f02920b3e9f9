/** Facts about a file: whoever tries again finds the same. */
const PERMANENT = new Set(['IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE', 'MODEL_REFUSED', 'ORIGINAL_MISSING']);

/** Whether trying a failed file again may help. */
export function isRetryable(code: string | undefined): boolean {
  return code === undefined || !PERMANENT.has(code);
}
