import { ImageRefused } from './errors.ts';

/**
 * What a failed read says about the image. The codec reports lack of memory and broken bytes alike; only the latter
 * is a fact about the image, so the former is returned unchanged and may be retried.
 */
export function explainReadFailure(error: unknown): unknown {
  const detail = error instanceof Error ? error.message : String(error);
  return /out of memory|allocat/i.test(detail) ? error : new ImageRefused('IMAGE_UNREADABLE', detail);
}
