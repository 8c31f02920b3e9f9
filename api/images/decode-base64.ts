import { AppError, invalidField, type ErrorDetails } from '../../domain/app-error.ts';
import { cleanBase64 } from '../../domain/text.ts';
import { MAX_BASE64_IMAGE_BYTES } from '../../domain/limits.ts';

/**
 * The bytes of an image that JSON carries as base64. "invalid base64: 400"
 *
 * @param pointer to the field
 * @param instead the alternative for larger images
 * @throws AppError INVALID_BASE64, also for none; FILE_TOO_LARGE
 */
export function decodeBase64(
  text: string,
  pointer: string,
  instead: { hint: string; suggestion?: ErrorDetails['suggestion'] },
): Buffer {
  const base64 = cleanBase64(text);
  if (base64 === undefined || base64 === '') {
    const { message, details } = invalidField(pointer, 'is not base64');
    throw new AppError('INVALID_BASE64', message, details);
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.byteLength <= MAX_BASE64_IMAGE_BYTES) return bytes;
  throw new AppError(
    'FILE_TOO_LARGE',
    `the image is too large: ${MAX_BASE64_IMAGE_BYTES / 1024 / 1024} MB may be sent as base64; ${instead.hint}`,
    instead.suggestion && { suggestion: instead.suggestion },
  );
}
