import sharp, { type Sharp } from 'sharp';
import type { Dice } from '../../shared/dice.ts';

/** What happens to a picture between the thing and the file. */
export interface Photograph {
  /** Largest shift of a corner, as a share of the sides: a view from the side. */
  tilt?: number;
  /** How much darker the darkest corner is, from 0 to 1. */
  shadow?: number;
  /** Share of the contrast that is left. */
  contrast?: number;
  /** Standard deviation in levels. */
  noise?: number;
  /** Radius in pixels. */
  blur?: number;
  /** Of the JPEG, in percent. */
  quality: number;
}

interface Raw {
  data: Buffer;
  width: number;
  height: number;
}

/** A JPEG of a thing in front of a background, as a camera in a hand sees it. */
export async function photograph(
  thing: Uint8Array,
  background: Uint8Array | undefined,
  { tilt = 0, shadow = 0, contrast = 1, noise = 0, blur = 0, quality }: Photograph,
  dice: Dice,
): Promise<Buffer> {
  const front = await rawOf(sharp(thing));
  const margin = background ? 0.12 : 0;
  const width = Math.round(front.width * (1 + 2 * margin));
  const height = Math.round(front.height * (1 + 2 * margin));
  const seen: Raw = background
    ? await rawOf(sharp(background).resize(width, height, { fit: 'cover' }))
    : { data: Buffer.alloc(width * height * 3, 40), width, height };
  const corner = (x: number, y: number): [number, number] => [
    (margin * front.width +
      x * front.width +
      (dice.fraction() - 0.5) * 2 * tilt * front.width * (1 - margin)) |
      0,
    (margin * front.height + y * front.height + (dice.fraction() - 0.5) * 2 * tilt * front.height) | 0,
  ];
  place(front, seen, [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
  const [towardsX, towardsY] = [dice.fraction() - 0.5, dice.fraction() - 0.5];
  for (let at = 0; at < seen.data.length; at++) {
    const pixel = (at / 3) | 0;
    const [x, y] = [(pixel % width) / width - 0.5, ((pixel / width) | 0) / height - 0.5];
    const light = 1 - shadow * Math.max(0, 0.5 + x * towardsX * 2 + y * towardsY * 2);
    const grain = noise * 2 * (dice.fraction() + dice.fraction() + dice.fraction() - 1.5);
    seen.data[at] = clamp((128 + ((seen.data[at] ?? 0) - 128) * contrast) * light + grain);
  }
  const image = sharp(seen.data, { raw: { width, height, channels: 3 } });
  return (blur > 0 ? image.blur(blur) : image).jpeg({ quality }).toBuffer();
}

const clamp = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

async function rawOf(image: Sharp): Promise<Raw> {
  const { data, info } = await image
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

type Corners = readonly [[number, number], [number, number], [number, number], [number, number]];

/** Draws a picture into another, its corners at these places, by the projection that maps its square to them. */
function place(front: Raw, back: Raw, corners: Corners): void {
  const toFront = inverse(projection(corners));
  for (let y = 0; y < back.height; y++) {
    for (let x = 0; x < back.width; x++) {
      const [u, v, w] = toFront.map(([a, b, c]) => a * x + b * y + c) as [number, number, number];
      const [left, top] = [(u / w) * front.width - 0.5, (v / w) * front.height - 0.5];
      if (left < 0 || top < 0 || left >= front.width - 1 || top >= front.height - 1) continue;
      const [column, row] = [Math.floor(left), Math.floor(top)];
      const [partX, partY] = [left - column, top - row];
      for (let channel = 0; channel < 3; channel++) {
        const at = (row * front.width + column) * 3 + channel;
        const value = (offset: number): number => front.data[at + offset] ?? 0;
        const below = front.width * 3;
        back.data[(y * back.width + x) * 3 + channel] =
          (value(0) * (1 - partX) + value(3) * partX) * (1 - partY) +
          (value(below) * (1 - partX) + value(below + 3) * partX) * partY;
      }
    }
  }
}

type Row = [number, number, number];
type Matrix = [Row, Row, Row];

/** Of the unit square to four corners, by Heckbert's formula. */
function projection([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]: Corners): Matrix {
  const [dx1, dx2, dx3] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, dy3] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const scale = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / scale;
  const h = (dx1 * dy3 - dx3 * dy1) / scale;
  return [
    [x1 - x0 + g * x1, x3 - x0 + h * x3, x0],
    [y1 - y0 + g * y1, y3 - y0 + h * y3, y0],
    [g, h, 1],
  ];
}

/** Up to a factor, which a projection does not mind. */
function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  return [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
}
