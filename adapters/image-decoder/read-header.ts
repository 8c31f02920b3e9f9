import sharp, { type Metadata } from 'sharp';
import { IMAGE_FORMATS, type ImageFormat } from '../../domain/media.ts';
import { MAX_IMAGE_PIXELS } from '../../domain/variants.ts';
import { ImageRefused } from './errors.ts';
import { explainReadFailure } from './explain-read-failure.ts';

export interface ImageHeader {
  format: ImageFormat;
  /** Upright size in pixels, EXIF orientation applied. */
  width: number;
  height: number;
  /** Frames of an animation, 1 for a still picture. */
  frames: number;
  /** The EXIF block as it stands in the file. */
  exif?: Uint8Array;
}

/**
 * What an image claims to be, from its header alone: no pixel is decoded, so a claim of any size costs nothing.
 *
 * @throws ImageRefused IMAGE_TOO_LARGE over the pixel limit, IMAGE_UNREADABLE when there is no readable header. The codec
 *   takes a PNG side over 100 million pixels for a corrupt header, so that claim is unreadable rather than too large.
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
    // Lenient, and of any size: what is incomplete is left to the decode, what is too large to the caller.
    return await sharp(original, { limitInputPixels: false, failOn: 'none' }).metadata();
  } catch (error) {
    throw explainReadFailure(error);
  }
}
