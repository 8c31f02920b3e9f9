import type { TextBox } from './text-boxes.ts';
import type { ReadableImage } from './text-recogniser.ts';

/** A line of text cut out and turned upright: luminance from -1 to 1, row by row. */
export interface Strip {
  values: Float32Array;
  width: number;
  height: number;
}

export const STRIP_HEIGHT = 48;
/** Some 200 letters. */
const MAX_WIDTH = 3200;
const MIN_WIDTH = 8;
const MAX_SAMPLES = 4;

/** The pixels of a box, scaled to one height; `back` turns it upside down. */
export function cutStrip(image: ReadableImage, box: TextBox, back = false): Strip {
  const { data, width, height } = image;
  const columns = Math.min(
    MAX_WIDTH,
    Math.max(MIN_WIDTH, Math.ceil((STRIP_HEIGHT * box.width) / box.height)),
  );
  const angle = back ? box.angle + Math.PI : box.angle;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [stepX, stepY] = [box.width / columns, box.height / STRIP_HEIGHT];
  // Averages where the box shrinks, so that thin strokes are not skipped.
  const samples = Math.max(1, Math.min(MAX_SAMPLES, Math.round(Math.max(stepX, stepY))));
  const [lastX, lastY] = [width - 1, height - 1];
  const values = new Float32Array(columns * STRIP_HEIGHT);
  for (let row = 0; row < STRIP_HEIGHT; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      // Plain variables: a page has millions of samples.
      for (let down = 0; down < samples; down++) {
        const across = (row + (down + 0.5) / samples) * stepY - box.height / 2;
        for (let right = 0; right < samples; right++) {
          const along = (column + (right + 0.5) / samples) * stepX - box.width / 2;
          const x = clamp(box.x + along * cos - across * sin - 0.5, lastX);
          const y = clamp(box.y + along * sin + across * cos - 0.5, lastY);
          const left = x | 0;
          const top = y | 0;
          const partX = x - left;
          const partY = y - top;
          const at = top * width + left;
          const nextX = left < lastX ? 1 : 0;
          const nextY = top < lastY ? width : 0;
          const above = (data[at] ?? 0) * (1 - partX) + (data[at + nextX] ?? 0) * partX;
          const below = (data[at + nextY] ?? 0) * (1 - partX) + (data[at + nextY + nextX] ?? 0) * partX;
          sum += above * (1 - partY) + below * partY;
        }
      }
      values[row * columns + column] = sum / (samples * samples * 127.5) - 1;
    }
  }
  return { values, width: columns, height: STRIP_HEIGHT };
}

function clamp(value: number, last: number): number {
  return value < 0 ? 0 : value > last ? last : value;
}
