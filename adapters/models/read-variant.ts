import type { Sharp } from 'sharp';
import { VARIANTS, type VariantType } from '../../domain/image-analysis.ts';
import { explainReadFailure, ImageRefused } from '../../engines/image-decoder/errors.ts';

/**
 * Decodes a variant. It may have been replaced in a tenant's own bucket, so only the formats of variants are decoded, and
 * no more pixels than a variant has.
 *
 * @param read gets the image in sRGB; transparent areas are white, as for every reader of images
 * @returns null for bytes that are no readable variant of this type
 */
export async function readVariant<R>(
  bytes: Uint8Array,
  type: VariantType,
  read: (image: Sharp) => Promise<R>,
): Promise<R | null> {
  if (!variantFormat(bytes)) return null;
  const side = VARIANTS.find((variant) => variant.type === type)?.maxDimension ?? 0;
  // Loaded with the first image: the API and most workers read none.
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(bytes, { limitInputPixels: side ** 2 });
    return await read(image.flatten({ background: '#fff' }).toColourspace('srgb'));
  } catch (error) {
    const explained = explainReadFailure(error);
    if (explained instanceof ImageRefused) return null;
    throw explained;
  }
}

/** The pixels of a variant, three channels row by row; null as by `readVariant`. */
export function readPixels(bytes: Uint8Array, type: VariantType) {
  return readVariant(bytes, type, (image) => image.raw().toBuffer({ resolveWithObject: true }));
}

/** The format of a variant by its first bytes; undefined if it has that of none. */
export function variantFormat(bytes: Uint8Array): 'jpeg' | 'webp' | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'webp' : undefined;
}
