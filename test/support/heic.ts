import sharp, { type Sharp } from 'sharp';
import { imageSize, writeHeif, type HeifItem } from './heif-writer.ts';
import { quarters } from './sample-images.ts';
import { codePicture } from './videos.ts';

export const HEIC_BRANDS = ['heic', 'mif1', 'heic'];
export const AVIF_BRANDS = ['avif', 'mif1', 'avif', 'miaf'];
/** Large enough for every encoder. */
export const SIDES = [240, 160] as const;

/** A picture as an item of a HEIF file, by default of `quarters()`. */
export async function codedItem(
  codec: 'hevc' | 'av1',
  properties: readonly Buffer[] = [],
  {
    image = quarters(),
    pixels = 'yuv420p',
    range = 'full',
  }: { image?: Sharp; pixels?: string; range?: string } = {},
): Promise<HeifItem> {
  const png = await sharp(await image.png().toBuffer())
    .resize(...SIDES, { kernel: 'nearest' })
    .png()
    .toBuffer();
  const matrix = pixels.startsWith('gbr') ? '' : `scale=out_color_matrix=bt601:out_range=${range},`;
  const { data, configuration } = await codePicture(png, codec, `${matrix}format=${pixels}`);
  const own = [configuration, imageSize(...SIDES), ...properties];
  return { type: codec === 'hevc' ? 'hvc1' : 'av01', data, properties: own };
}

/** A HEIC of one picture, as telephones make them. */
export async function heic(...properties: readonly Buffer[]): Promise<Buffer> {
  return writeHeif([await codedItem('hevc', properties)], HEIC_BRANDS);
}
