import type { TextBox } from './text-boxes.ts';
import type { PixelBox } from './text-regions.ts';
import type { ReadableImage } from './text-recogniser.ts';

/** Up to this angle, the box of a word is that of its letters. */
const LEVEL = 0.05;
/** Pixels whose contrast is above this share of the strongest are of letters. */
const INK = 0.45;

/**
 * The box of a part of a line: of the letters, where the line is level; else of the part.
 *
 * @param from part of the line, as its end `to`
 */
export function placeWord(
  image: ReadableImage,
  line: TextBox,
  { from, to }: { from: number; to: number },
  back: boolean,
): PixelBox {
  const [start, end] = back ? [1 - to, 1 - from] : [from, to];
  const around = boundsOf(line, start, end, image);
  return !line.upended && Math.abs(line.angle) <= LEVEL ? lettersIn(image, around) : around;
}

function boundsOf(
  { x, y, width, height, angle }: TextBox,
  start: number,
  end: number,
  image: { width: number; height: number },
): PixelBox {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const alongs = [start, end].map((part) => (part - 0.5) * width);
  const points = alongs.flatMap((along) =>
    [-height / 2, height / 2].map((across) => [
      x + along * cos - across * sin,
      y + along * sin + across * cos,
    ]),
  );
  const xs = points.map(([px = 0]) => px);
  const ys = points.map(([, py = 0]) => py);
  return {
    x0: Math.max(0, Math.floor(Math.min(...xs))),
    y0: Math.max(0, Math.floor(Math.min(...ys))),
    x1: Math.min(image.width, Math.ceil(Math.max(...xs))),
    y1: Math.min(image.height, Math.ceil(Math.max(...ys))),
  };
}

/** The bounds of what differs from the background, which is the most common luminance. */
function lettersIn({ data, width }: ReadableImage, box: PixelBox): PixelBox {
  const counts = new Uint32Array(32);
  let [darkest, lightest] = [255, 0];
  // Plain loops: a page has millions of pixels of words.
  for (let y = box.y0; y < box.y1; y++)
    for (let at = y * width + box.x0; at < y * width + box.x1; at++) {
      const value = data[at] ?? 0;
      counts[value >> 3] = (counts[value >> 3] ?? 0) + 1;
      if (value < darkest) darkest = value;
      if (value > lightest) lightest = value;
    }
  const background = counts.indexOf(Math.max(...counts)) * 8 + 4;
  const least = INK * Math.max(background - darkest, lightest - background);
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let y = box.y0; y < box.y1; y++)
    for (let x = box.x0; x < box.x1; x++) {
      if (Math.abs((data[y * width + x] ?? 0) - background) <= least) continue;
      if (x < x0) x0 = x;
      if (x >= x1) x1 = x + 1;
      if (y < y0) y0 = y;
      y1 = y + 1;
    }
  return x1 > x0 ? { x0, y0, x1, y1 } : box;
}
