import type { ImageFacts } from '../../../domain/image-analysis.ts';
import { fromRaster, type Raster, toRaster } from '../codec.ts';
import { measureColours } from './measure-colours.ts';

type ImageMeasures = Omit<ImageFacts, 'hasAlpha' | 'frames' | 'exif'>;

/** Between the flattest photograph tested (0.19) and the least flat drawing (0.33). */
const GRAPHIC_SHARE = 0.25;
/** An image of one named colour with less contrast than this is blank. */
const BLANK_CONTRAST = 0.02;

/** Measures the pixels. Colours ignore transparent ones; light is measured with transparency shown on white. */
export async function measureImage(raster: Raster): Promise<ImageMeasures> {
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

interface LightMeasures {
  brightness: number;
  contrast: number;
  colourfulness: number;
  sharpness: number;
}

/** The maximum deviation: half black, half white. */
const MOST_DEVIATION = 127.5;
/** Hasler and Süsstrunk call an image of this colourfulness "extremely colourful". */
const EXTREMELY_COLOURFUL = 109;
/** Variance of the Laplacian that counts as half crisp: photographs in focus lie above it, soft ones below. */
const HALF_CRISP = 500;

/** Luminance and colour statistics of a raster, each 0–1 as defined by `ImageFacts`; alpha is ignored. */
export function measureLight(raster: Raster): LightMeasures {
  const { data, channels } = raster;
  const luma = new Float32Array(raster.width * raster.height);
  const redGreen = new Float32Array(luma.length);
  const yellowBlue = new Float32Array(luma.length);
  for (let pixel = 0; pixel < luma.length; pixel++) {
    const red = data[pixel * channels] ?? 0;
    const green = data[pixel * channels + 1] ?? 0;
    const blue = data[pixel * channels + 2] ?? 0;
    luma[pixel] = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    redGreen[pixel] = red - green;
    yellowBlue[pixel] = (red + green) / 2 - blue;
  }
  const light = spread(luma);
  const rg = spread(redGreen);
  const yb = spread(yellowBlue);
  const colourful = Math.sqrt(rg.variance + yb.variance) + 0.3 * Math.hypot(rg.mean, yb.mean);
  const edges = spread(laplacian(luma, raster.width, raster.height)).variance;
  return {
    brightness: light.mean / 255,
    contrast: Math.min(1, Math.sqrt(light.variance) / MOST_DEVIATION),
    colourfulness: Math.min(1, colourful / EXTREMELY_COLOURFUL),
    sharpness: edges / (edges + HALF_CRISP),
  };
}

/** For pixels with four neighbours; empty for a raster under 3 px per side, which has no meaningful edges. */
function laplacian(luma: Float32Array, width: number, height: number): Float32Array {
  const result = new Float32Array(Math.max(0, width - 2) * Math.max(0, height - 2));
  let at = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const here = y * width + x;
      const around =
        (luma[here - 1] ?? 0) + (luma[here + 1] ?? 0) + (luma[here - width] ?? 0) + (luma[here + width] ?? 0);
      result[at++] = around - 4 * (luma[here] ?? 0);
    }
  }
  return result;
}

function spread(values: Float32Array): { mean: number; variance: number } {
  if (values.length === 0) return { mean: 0, variance: 0 };
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return { mean, variance: Math.max(0, squares / values.length - mean * mean) };
}

/**
 * Share of pixels (0–1) equal to their right and lower neighbours. Drawings, charts and screenshots have areas of one
 * colour; sensor noise leaves a photograph almost none, even in smooth areas.
 */
export function flatShare({ data, width, height, channels }: Raster): number {
  const compared = (width - 1) * (height - 1);
  let flat = 0;
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width - 1; x++) {
      const at = (y * width + x) * channels;
      if (
        samePixel(data, at, at + channels, channels) &&
        samePixel(data, at, at + width * channels, channels)
      )
        flat += 1;
    }
  }
  return compared > 0 ? flat / compared : 1;
}

function samePixel(data: Uint8Array, one: number, other: number, channels: number): boolean {
  for (let channel = 0; channel < channels; channel++)
    if (data[one + channel] !== data[other + channel]) return false;
  return true;
}
