import { ImageRefused } from './errors.ts';

/**
 * What a failed read says about the image. The codec reports want of memory and broken bytes alike; only the latter
 * belongs to the image, so the former is handed back as it came and may be retried.
 */
export function explainReadFailure(error: unknown): unknown {
  const detail = error instanceof Error ? error.message : String(error);
  return /out of memory|allocat/i.test(detail) ? error : new ImageRefused('IMAGE_UNREADABLE', detail);
}
