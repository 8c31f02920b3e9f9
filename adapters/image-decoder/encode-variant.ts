import { fromRaster, type Raster } from './raster.ts';

export interface EncodedRaster {
  contentType: 'image/jpeg' | 'image/webp';
  bytes: Uint8Array;
}

/**
 * Opaque rasters become JPEG, which encodes 1024 px in 8 ms where WebP takes 25–60; transparent ones WebP, a fortieth of
 * the size of PNG. Compared with the default effort 4, effort 2 saves a third of the time for 5 % in size.
 */
export async function encodeVariant(raster: Raster, opaque: boolean): Promise<EncodedRaster> {
  const pipeline = fromRaster(raster);
  return opaque
    ? { contentType: 'image/jpeg', bytes: await pipeline.jpeg({ quality: 80 }).toBuffer() }
    : { contentType: 'image/webp', bytes: await pipeline.webp({ quality: 80, effort: 2 }).toBuffer() };
}
