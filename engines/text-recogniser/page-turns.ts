import sharp from 'sharp';
import type { ModelSession } from '../onnx/session.ts';
import type { ReadableImage, Turns } from './text-recogniser.ts';

/** Side of the square that the whole page is squeezed into: a part of it may be blank. */
const SIDE = 224;
/** Of ImageNet's photographs, by which the model expects its three channels to be evened. */
const MEANS = [0.485, 0.456, 0.406];
const DEVIATIONS = [0.229, 0.224, 0.225];
/** Below, a page is read as it lies first. */
const SURE = 0.6;

/** The quarter turns clockwise by which a page of text lies, as PP-LCNet classifies it; undefined if it is unsure. */
export async function findTurns(
  model: ModelSession,
  { data, width, height }: ReadableImage,
): Promise<Turns | undefined> {
  const pixels = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize(SIDE, SIDE, { fit: 'fill', kernel: 'cubic' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  const values = new Float32Array(3 * pixels.length);
  for (const [channel, mean] of MEANS.entries())
    for (const [at, value] of pixels.entries())
      values[channel * pixels.length + at] = (value / 255 - mean) / (DEVIATIONS[channel] ?? 1);
  const probabilities = await model.run(values, [1, 3, SIDE, SIDE]);
  return ([0, 1, 2, 3] as const).find((turns) => (probabilities[turns] ?? 0) >= SURE);
}
