export type Rgb = readonly [red: number, green: number, blue: number];
export type Oklab = readonly [lightness: number, greenRed: number, blueYellow: number];

/** Converts sRGB (0–255) to Björn Ottosson's Oklab, where equal steps look equal; matrices as published. */
export function toOklab([red, green, blue]: Rgb): Oklab {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** For integers, the usual case; any other index of an array is looked up as a string. */
const LINEAR = Float64Array.from({ length: 256 }, (_, byte) => toLinear(byte));

function linear(byte: number): number {
  return (Number.isInteger(byte) ? LINEAR[byte] : undefined) ?? toLinear(byte);
}

function toLinear(byte: number): number {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
