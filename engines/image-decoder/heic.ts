/** Pictures coded with HEVC, which the codec of the other formats leaves out. */
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { MAX_IMAGE_PIXELS } from '../../domain/image-analysis.ts';
import { primaryItem } from '../heif-items.ts';

/** The part of libheif that is used, compiled to WebAssembly. */
interface Libheif {
  heif_context_alloc(): object;
  heif_context_free(context: object): void;
  heif_context_read_from_memory(context: object, bytes: Uint8Array): HeifError;
  heif_js_context_get_primary_image_handle(context: object): object & Partial<HeifError>;
  heif_image_handle_release(handle: object): void;
  heif_image_handle_has_alpha_channel(handle: object): number;
  heif_js_decode_image2(handle: object, colours: object, layout: object): Partial<HeifError> & DecodedImage;
  heif_image_release(image: object): void;
  heif_colorspace: { heif_colorspace_RGB: object };
  heif_chroma: Record<`heif_chroma_interleaved_${'RGB' | 'RGBA' | 'RRGGBB_LE' | 'RRGGBBAA_LE'}`, object>;
}
interface HeifError {
  code: { value: number };
  message: string;
}
interface DecodedImage {
  image: object;
  /** One, of interleaved samples; of 16-bit samples, the lower bits are used. */
  channels: [{ width: number; height: number; stride: number; bits_per_pixel: number; data: Uint8Array }];
}

let loaded: Libheif | undefined;
/** Compiling it takes 0.2 s, which only a process that needs it spends. */
function libheif(): Libheif {
  return (loaded ??= createRequire(import.meta.url)('libheif-js/wasm-bundle') as Libheif);
}

/** Whether the picture is coded with HEVC. */
export function isHeic(original: Uint8Array): boolean {
  const bytes = Buffer.from(original.buffer, original.byteOffset, original.byteLength);
  return bytes.toString('latin1', 4, 8) === 'ftyp' && HEVC.includes(primaryItem(bytes)?.coding ?? '');
}
const HEVC = ['hvc1', 'hev1'];

/**
 * Decodes the primary picture: a grid whole, turned and mirrored as it is to be shown; other pictures in the file, such as
 * its depth, are ignored.
 *
 * @returns an uncompressed TIFF with the bit depth and the ICC profile of the original
 * @throws Error for a picture that cannot be decoded
 */
export async function heicToTiff(original: Uint8Array): Promise<Buffer> {
  const { icc, depth, width, height } = await sharp(original, { limitInputPixels: false }).metadata();
  if (width * height > MAX_IMAGE_PIXELS) throw new Error(`${width} × ${height} pixels`);
  const heif = libheif();
  const context = heif.heif_context_alloc();
  try {
    check(heif.heif_context_read_from_memory(context, original));
    const handle = heif.heif_js_context_get_primary_image_handle(context);
    check(handle);
    const hasAlpha = heif.heif_image_handle_has_alpha_channel(handle) !== 0;
    const isDeep = depth !== 'uchar';
    const layout = isDeep ? (hasAlpha ? 'RRGGBBAA_LE' : 'RRGGBB_LE') : hasAlpha ? 'RGBA' : 'RGB';
    const decoded = heif.heif_js_decode_image2(
      handle,
      heif.heif_colorspace.heif_colorspace_RGB,
      heif.heif_chroma[`heif_chroma_interleaved_${layout}`],
    );
    heif.heif_image_handle_release(handle);
    check(decoded);
    try {
      return toTiff(decoded, { channels: hasAlpha ? 4 : 3, isDeep, icc });
    } finally {
      heif.heif_image_release(decoded.image);
    }
  } finally {
    heif.heif_context_free(context);
  }
}

function check({ code, message }: Partial<HeifError>): void {
  if (code !== undefined && code.value !== 0) throw new Error(message);
}

const [SHORT, LONG, UNDEFINED] = [3, 4, 7];
const HEADER = 8;

function toTiff(
  { channels: [plane] }: DecodedImage,
  { channels, isDeep, icc }: { channels: number; isDeep: boolean; icc: Uint8Array | undefined },
): Buffer {
  const { width, height, stride } = plane;
  const row = width * channels * (isDeep ? 2 : 1);
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) pixels.set(plane.data.subarray(y * stride, y * stride + row), y * row);
  if (isDeep) scaleTo16Bits(pixels, plane.bits_per_pixel);
  const profile = Buffer.from(icc ?? []);
  const depths = Buffer.alloc(channels * 2);
  for (let at = 0; at < channels; at += 1) depths.writeUInt16LE(isDeep ? 16 : 8, at * 2);
  const [depthsAt, profileAt] = [HEADER + pixels.length, HEADER + pixels.length + depths.length];
  const directoryAt = profileAt + profile.length + (profile.length % 2);
  const tags = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, channels, depthsAt],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 2],
    [273, LONG, 1, HEADER],
    [277, SHORT, 1, channels],
    [278, LONG, 1, height],
    [279, LONG, 1, pixels.length],
    // Alpha that the colours are not multiplied with.
    ...(channels === 4 ? [[338, SHORT, 1, 2]] : []),
    ...(profile.length > 0 ? [[34_675, UNDEFINED, profile.length, profileAt]] : []),
  ];
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16LE(tags.length);
  for (const [at, [tag = 0, type = 0, count = 0, value = 0]] of tags.entries()) {
    const entry = 2 + at * 12;
    directory.writeUInt16LE(tag, entry);
    directory.writeUInt16LE(type, entry + 2);
    directory.writeUInt32LE(count, entry + 4);
    directory.writeUInt32LE(value, entry + 8);
  }
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(directoryAt, 4);
  return Buffer.concat([header, pixels, depths, profile, Buffer.alloc(profile.length % 2), directory]);
}

/** Spreads little-endian samples of fewer bits over the range of 16. */
function scaleTo16Bits(samples: Buffer, bits: number): void {
  const factor = 65_535 / (2 ** bits - 1);
  for (let at = 0; at < samples.length; at += 2) {
    samples.writeUInt16LE(Math.min(65_535, Math.round(samples.readUInt16LE(at) * factor)), at);
  }
}
