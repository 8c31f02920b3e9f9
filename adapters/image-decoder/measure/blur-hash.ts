import { encode } from 'blurhash';
import { bound, fromRaster, type Raster } from '../raster.ts';

/** More pixels make no visible difference: the hash keeps at most four components per side. */
const HASH_RASTER = 32;

/** The BlurHash of a raster, transparency shown on white: four components along the longer side, three on the other. */
export async function blurHash(raster: Raster): Promise<string> {
  const { data, info } = await bound(fromRaster(raster), HASH_RASTER)
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [across, down] = info.width >= info.height ? [4, 3] : [3, 4];
  return encode(new Uint8ClampedArray(data), info.width, info.height, across, down);
}
