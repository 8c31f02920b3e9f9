import { ImageRefused } from './errors.ts';

/**
 * Maps a failed read to an error. The codec reports out-of-memory and corrupt bytes alike; only the latter is the
 * image's fault, so the former is returned unchanged and may be retried.
 */
export function explainReadFailure(error: unknown): unknown {
  const detail = error instanceof Error ? error.message : String(error);
  return /out of memory|allocat/i.test(detail) ? error : new ImageRefused('IMAGE_UNREADABLE', detail);
}
