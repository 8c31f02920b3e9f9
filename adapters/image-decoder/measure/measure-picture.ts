import type { ImageFacts } from '../../../domain/image-facts.ts';
import { flatShare } from './flat-share.ts';
import { measureColours } from './measure-colours.ts';
import { measureLight } from './measure-light.ts';
import { fromRaster, toRaster, type Raster } from '../raster.ts';

export type PictureMeasures = Omit<ImageFacts, 'hasAlpha' | 'frames' | 'exif'>;

/** Between the flattest photograph tested (0.19) and the least flat drawing (0.33). */
const GRAPHIC_SHARE = 0.25;
/** A picture of one named colour with less contrast than this is blank. */
const BLANK_CONTRAST = 0.02;

/** Measures the pixels. Colours ignore transparent ones; light is measured with transparency shown on white. */
export async function measurePicture(raster: Raster): Promise<PictureMeasures> {
  const colours = measureColours(raster);
  const shown = raster.channels === 4 ? fromRaster(raster).flatten({ background: '#fff' }) : undefined;
  const light = measureLight(shown ? await toRaster(shown) : raster);
  const blank = light.contrast < BLANK_CONTRAST && colours.length < 2;
  return {
    colours,
    brightness: rounded(light.brightness),
    contrast: rounded(light.contrast),
    colourfulness: rounded(light.colourfulness),
    sharpness: rounded(light.sharpness),
    look: blank ? 'blank' : flatShare(raster) >= GRAPHIC_SHARE ? 'graphic' : 'photograph',
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
