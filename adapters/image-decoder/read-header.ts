import sharp, { type Metadata } from 'sharp';
import { IMAGE_FORMATS, type ImageFormat } from '../../domain/media.ts';
import { MAX_IMAGE_PIXELS } from '../../domain/variants.ts';
import { ImageRefused } from './errors.ts';
import { explainReadFailure } from './codec.ts';

export interface ImageHeader {
  format: ImageFormat;
  /** Upright size in pixels, EXIF orientation applied. */
  width: number;
  height: number;
  /** Frames of an animation, 1 for a still image. */
  frames: number;
  /** The raw EXIF block. */
  exif?: Uint8Array;
}

/**
 * Reads the claims of an image's header: no pixel is decoded, so a claim of any size costs nothing.
 *
 * @throws ImageRefused IMAGE_TOO_LARGE over the pixel limit, IMAGE_UNREADABLE when there is no readable header. The codec
 *   treats a PNG side over 100 million pixels as a corrupt header, so that is unreadable rather than too large.
 */
export async function readHeader(original: Uint8Array): Promise<ImageHeader> {
  const metadata = await readMetadata(original);
  const format = IMAGE_FORMATS.find((known) => known === metadata.format);
  if (!format) throw new ImageRefused('IMAGE_UNREADABLE', `format ${metadata.format}`);
  const { width, height } = metadata.autoOrient;
  if (width * height > MAX_IMAGE_PIXELS) throw new ImageRefused('IMAGE_TOO_LARGE', `${width} × ${height}`);
  return {
    format,
    width,
    height,
    frames: metadata.pages ?? 1,
    ...(metadata.exif && { exif: metadata.exif }),
  };
}

async function readMetadata(original: Uint8Array): Promise<Metadata> {
  try {
    // Lenient, and of any size: truncated images are left to the decoder, oversized ones to the caller.
    return await sharp(original, { limitInputPixels: false, failOn: 'none' }).metadata();
  } catch (error) {
    throw explainReadFailure(error);
  }
}
