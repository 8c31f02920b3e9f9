import { BT709, type Chromaticities, type ColourSignal, lightToSrgb } from './signal.ts';

type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/** Light up to this stays as it is; brighter light is compressed up to the peak. */
const KNEE = 0.75;

/** Rolls highlights off (extended Reinhard above the knee), so that the peak becomes 1. */
function toneMapped(light: number, peak: number): number {
  const room = 1 - KNEE;
  const [over, most] = [(Math.min(light, peak) - KNEE) / room, (peak - KNEE) / room];
  return KNEE + (room * over * (1 + over / (most * most))) / (1 + over);
}

/**
 * The factor that makes light of HDR visible, one for the three channels, which keeps the hue. What sRGB cannot show after
 * it is clipped.
 */
function exposureOf(brightest: number, peak: number): number {
  return peak > 1 && brightest > KNEE ? toneMapped(brightest, peak) / brightest : 1;
}

/** The most of a 16-bit value. */
const MOST = 65_535;

/**
 * Converts coded 16-bit pixels of a signal to 8-bit sRGB; the alpha of a fourth channel is kept.
 *
 * @param pixels three or four channels, row by row
 */
export function convertPixels(
  pixels: Uint16Array,
  channels: 3 | 4,
  { primaries, transfer }: ColourSignal,
): Uint8Array {
  const { toLight, peak, toShown = lightToSrgb } = transfer;
  const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = between(primaries, BT709);
  const light = Float32Array.from({ length: MOST + 1 }, (_, coded) => toLight(coded / MOST));
  const shown = Uint8ClampedArray.from({ length: MOST + 1 }, (_, value) => toShown(value / MOST) * 255);
  const byteOf = (value: number) => shown[Math.round(Math.min(1, Math.max(0, value)) * MOST)] ?? 0;
  const converted = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += channels) {
    const red = light[pixels[at] ?? 0] ?? 0;
    const green = light[pixels[at + 1] ?? 0] ?? 0;
    const blue = light[pixels[at + 2] ?? 0] ?? 0;
    const r = rr * red + rg * green + rb * blue;
    const g = gr * red + gg * green + gb * blue;
    const b = br * red + bg * green + bb * blue;
    const exposure = exposureOf(Math.max(r, g, b), peak);
    converted[at] = byteOf(r * exposure);
    converted[at + 1] = byteOf(g * exposure);
    converted[at + 2] = byteOf(b * exposure);
    if (channels === 4) converted[at + 3] = (pixels[at + 3] ?? 0) >> 8;
  }
  return converted;
}

/** Points of each side of a table of colours: coded values are even to the eye, so that few are enough. */
const SIDE = 33;

/** The conversion of a signal to sRGB as a table in the format .cube, for ffmpeg. */
export function colourTable({ primaries, transfer }: ColourSignal): string {
  const { toLight, peak, toShown = lightToSrgb } = transfer;
  const matrix = between(primaries, BT709);
  const light = Array.from({ length: SIDE }, (_, at) => toLight(at / (SIDE - 1)));
  const lines = [`LUT_3D_SIZE ${SIDE}`];
  for (const blue of light) {
    for (const green of light) {
      for (const red of light) {
        const shown = multiply(matrix, [red, green, blue]);
        const exposure = exposureOf(Math.max(...shown), peak);
        const coded = shown.map((value) => toShown(Math.min(1, Math.max(0, value * exposure))));
        lines.push(coded.map((value) => value.toFixed(5)).join(' '));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The matrix between light of two sets of primaries. */
function between(from: Chromaticities, to: Chromaticities): Matrix {
  const adapted = product(inverse(BRADFORD), product(diagonal(coneRatio(from, to)), BRADFORD));
  return product(inverse(toXyz(to)), product(adapted, toXyz(from)));
}

/** Responses of the eye's cones, in which a change of white is a change of scale. */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

function coneRatio(from: Chromaticities, to: Chromaticities): Vector {
  const [before, after] = [from, to].map((each) => multiply(BRADFORD, xyzOf(each[6], each[7])));
  if (!before || !after) return [1, 1, 1];
  return [after[0] / before[0], after[1] / before[1], after[2] / before[2]];
}

function xyzOf(x: number, y: number): Vector {
  return [x / y, 1, (1 - x - y) / y];
}

function toXyz([rx, ry, gx, gy, bx, by, wx, wy]: Chromaticities): Matrix {
  const columns: Matrix = transposed([
    [rx, ry, 1 - rx - ry],
    [gx, gy, 1 - gx - gy],
    [bx, by, 1 - bx - by],
  ]);
  return product(columns, diagonal(multiply(inverse(columns), xyzOf(wx, wy))));
}

function diagonal([a, b, c]: Vector): Matrix {
  return [
    [a, 0, 0],
    [0, b, 0],
    [0, 0, c],
  ];
}

function multiply([first, second, third]: Matrix, vector: Vector): Vector {
  return [dot(first, vector), dot(second, vector), dot(third, vector)];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function transposed([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  return [
    [a, d, g],
    [b, e, h],
    [c, f, i],
  ];
}

function product(left: Matrix, right: Matrix): Matrix {
  const [a, b, c] = transposed(right);
  return transposed([multiply(left, a), multiply(left, b), multiply(left, c)]);
}

function inverse([a, b, c]: Matrix): Matrix {
  const [x, y, z] = [cross(b, c), cross(c, a), cross(a, b)];
  const scale = 1 / dot(a, x);
  return transposed([x, y, z].map((row) => row.map((value) => value * scale)) as unknown as Matrix);
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
