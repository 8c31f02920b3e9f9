export type ImageErrorCode = 'IMAGE_UNREADABLE' | 'IMAGE_TOO_LARGE';

const MESSAGES: Record<ImageErrorCode, string> = {
  IMAGE_UNREADABLE: 'The image is damaged, incomplete or not a JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF.',
  IMAGE_TOO_LARGE: 'The image has more than 100 megapixels.',
};

/**
 * The image itself is invalid; not retryable. `message` is safe to show to clients; `detail` is the codec's wording,
 * for logs only.
 */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused';
  readonly code: ImageErrorCode;
  readonly detail: string;

  constructor(code: ImageErrorCode, detail: string) {
    super(MESSAGES[code]);
    this.code = code;
    this.detail = detail;
  }
}

/**
 * Maps a failed read to an error. The codec reports out-of-memory and corrupt bytes alike; only the latter is the
 * image's fault, so the former is returned unchanged and may be retried. For AVIF, "Memory allocation error: Security
 * limit exceeded" is about a number in the image, before anything is allocated.
 */
export function explainReadFailure(error: unknown): unknown {
  const detail = error instanceof Error ? error.message : String(error);
  const isShortage = /out of memory|allocat/i.test(detail) && !/security limit exceeded/i.test(detail);
  return isShortage ? error : new ImageRefused('IMAGE_UNREADABLE', detail);
}

/** The child process died while decoding, for example out of memory. Retryable. */
export class DecoderCrashed extends Error {
  override readonly name = 'DecoderCrashed';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(exitCode: number | null, signal: NodeJS.Signals | null) {
    super(`The image decoder died (${signal ?? `exit code ${exitCode}`}).`);
    this.exitCode = exitCode;
    this.signal = signal;
  }
}

/** The image exceeded its budget of processor time; its child process was killed. A retry would exceed it as well. */
export class DecoderTimeout extends Error {
  override readonly name = 'DecoderTimeout';

  constructor(cpuMs: number) {
    super(`The image was not decoded within ${Math.round(cpuMs / 1000)} s of processor time.`);
  }
}

/** The decoder was closed before the image was processed. */
export class DecoderClosed extends Error {
  override readonly name = 'DecoderClosed';

  constructor() {
    super('The image decoder is closed.');
  }
}
