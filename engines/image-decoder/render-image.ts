import { encode } from 'blurhash';
import sharp, { type Metadata } from 'sharp';
import {
  type ExifFacts,
  type ImageFacts,
  VARIANTS,
  type VariantType,
  MAX_IMAGE_PIXELS,
} from '../../domain/image-analysis.ts';
import { type ImageFormat, IMAGE_FORMATS } from '../../domain/media.ts';
import {
  decodeRaster,
  type EncodedRaster,
  encodeVariant,
  bound,
  fromRaster,
  isOpaque,
  type Raster,
  shrinkRaster,
} from './codec.ts';
import { exifFacts } from './exif.ts';
import { isHeic } from './heic.ts';
import { greyOf, type GreyImage } from './render-view.ts';
import { measureImage } from './measure/measure-image.ts';
import { explainReadFailure, ImageRefused } from './errors.ts';

interface ImageHeader {
  format: ImageFormat;
  /** Upright size in pixels, EXIF orientation applied. */
  width: number;
  height: number;
  /** Frames of an animation, 1 for a still image. */
  frames: number;
  exif: ExifFacts;
}

export interface RenderedVariant {
  type: VariantType;
  width: number;
  height: number;
  contentType: 'image/jpeg' | 'image/webp';
  bytes: Uint8Array;
}

/** All results derived from an image without a model. Sizes in pixels, upright. */
export interface RenderedImage {
  width: number;
  height: number;
  format: ImageFormat;
  /** One per type, smallest first; never larger than the image, so several may be equal. Without metadata. */
  variants: RenderedVariant[];
  blurHash: string;
  facts: ImageFacts;
  /** Luminance of the largest variant before compression; only if requested. */
  luminance?: GreyImage;
}

export interface RenderOptions {
  /** Whether to return the luminance, which saves text detection a second decode. */
  luminance?: boolean;
}

/**
 * Renders an image: one decode to the largest variant, each smaller one from the next larger.
 *
 * @param original the bytes of an image; of several pages, the first is shown
 * @throws ImageRefused when the image cannot be read or is too large; other errors are not caused by the image
 */
export async function renderImage(
  original: Uint8Array,
  { luminance = false }: RenderOptions = {},
): Promise<RenderedImage> {
  const header = await readHeader(original);
  const rasters = await rasterise(original);
  const opaque = isOpaque(rasters.large_1024);
  const [variants, hash, measures, grey] = await Promise.all([
    encodeAll(rasters, opaque),
    blurHash(rasters.tiny_64),
    measureImage(rasters.small_256),
    luminance ? greyOf(rasters.large_1024) : undefined,
  ]);
  return {
    width: header.width,
    height: header.height,
    format: header.format,
    variants,
    blurHash: hash,
    facts: {
      ...measures,
      hasAlpha: !opaque,
      frames: header.frames,
      exif: header.exif,
    },
    ...(grey && { luminance: grey }),
  };
}

type Rasters = Record<VariantType, Raster>;

async function rasterise(original: Uint8Array): Promise<Rasters> {
  const rasters: Partial<Rasters> = {};
  let larger: Raster | undefined;
  for (const { type, maxDimension } of VARIANTS.toReversed()) {
    larger = larger ? await shrinkRaster(larger, maxDimension) : await decodeRaster(original, maxDimension);
    rasters[type] = larger;
  }
  return rasters as Rasters;
}

/** Encodes each distinct raster once: the variants of a small image share their bytes. */
async function encodeAll(rasters: Rasters, opaque: boolean): Promise<RenderedVariant[]> {
  const encoded = new Map<Raster, Promise<EncodedRaster>>();
  const encodeOnce = (raster: Raster): Promise<EncodedRaster> => {
    const encoding = encoded.get(raster) ?? encodeVariant(raster, opaque);
    encoded.set(raster, encoding);
    return encoding;
  };
  return Promise.all(
    VARIANTS.map(async ({ type }) => {
      const raster = rasters[type];
      return { type, width: raster.width, height: raster.height, ...(await encodeOnce(raster)) };
    }),
  );
}

/** More pixels make no visible difference: the hash keeps at most four components per side. */
const HASH_RASTER = 32;

/** The BlurHash of a raster, transparency shown on white: four components along the longer side, three on the other. */
async function blurHash(raster: Raster): Promise<string> {
  const { data, info } = await bound(fromRaster(raster), HASH_RASTER)
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [across, down] = info.width >= info.height ? [4, 3] : [3, 4];
  return encode(new Uint8ClampedArray(data), info.width, info.height, across, down);
}

/**
 * Reads the dimensions that an image's header claims: no pixel is decoded, so any claim is cheap.
 *
 * @throws ImageRefused IMAGE_TOO_LARGE over the pixel limit, IMAGE_UNREADABLE without a readable header. The codec
 *   treats a PNG side over 100 million pixels as a corrupt header, so that is unreadable rather than too large.
 */
async function readHeader(original: Uint8Array): Promise<ImageHeader> {
  const metadata = await readMetadata(original);
  // The codec names AVIF and HEIC by their container.
  const name = metadata.format !== 'heif' ? metadata.format : isHeic(original) ? 'heic' : 'avif';
  const format = IMAGE_FORMATS.find((known) => known === name);
  if (!format) throw new ImageRefused('IMAGE_UNREADABLE', `format ${metadata.format}`);
  const { width, height } = metadata.autoOrient;
  if (width * height > MAX_IMAGE_PIXELS) throw new ImageRefused('IMAGE_TOO_LARGE', `${width} × ${height}`);
  return {
    format,
    width,
    height,
    frames: metadata.pages ?? 1,
    // A TIFF is a block of EXIF itself.
    exif: exifFacts(metadata.exif ?? (format === 'tiff' ? original : new Uint8Array()), metadata),
  };
}

async function readMetadata(original: Uint8Array): Promise<Metadata> {
  try {
    // Lenient, without a size limit: truncated images are left to the decoder, oversized ones to the caller.
    return await sharp(original, { limitInputPixels: false, failOn: 'none' }).metadata();
  } catch (error) {
    throw explainReadFailure(error);
  }
}
