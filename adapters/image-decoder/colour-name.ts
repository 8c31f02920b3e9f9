export type Rgb = readonly [red: number, green: number, blue: number];
type Lab = readonly [lightness: number, greenRed: number, blueYellow: number];

type Named = readonly [name: string, colour: Rgb];

/** Typical colours of each name a person would use; a colour is called after the nearest of its kind. */
const GREYS: readonly Named[] = [
  ['black', [10, 10, 10]],
  ['dark grey', [70, 70, 70]],
  ['grey', [130, 130, 130]],
  ['light grey', [200, 200, 200]],
  ['white', [250, 250, 250]],
];
const HUES: readonly Named[] = [
  ['red', [220, 30, 35]],
  ['dark red', [115, 20, 25]],
  ['pink', [245, 165, 190]],
  ['magenta', [205, 50, 175]],
  ['purple', [120, 50, 165]],
  ['lavender', [190, 170, 230]],
  ['navy', [22, 36, 92]],
  ['navy', [52, 66, 92]],
  ['blue', [35, 95, 220]],
  ['blue', [75, 105, 150]],
  ['light blue', [160, 200, 240]],
  ['turquoise', [60, 205, 205]],
  ['teal', [18, 120, 125]],
  ['dark green', [28, 72, 38]],
  ['green', [45, 155, 60]],
  ['light green', [160, 220, 140]],
  ['olive', [118, 118, 42]],
  ['yellow', [245, 215, 40]],
  ['orange', [240, 130, 30]],
  ['tan', [200, 155, 110]],
  ['beige', [228, 212, 180]],
  ['brown', [112, 68, 36]],
  ['brown', [150, 110, 80]],
];
/** Oklab chroma under which an eye sees grey. */
const GREYISH = 0.03;
/** Oklab lightness under which any hue looks black. */
const NEARLY_BLACK = 0.22;

const GREY_ANCHORS = GREYS.map(([name, colour]) => ({ name, lab: toOklab(colour) }));
const HUE_ANCHORS = HUES.map(([name, colour]) => ({ name, lab: toOklab(colour) }));

/** The plain English name of an sRGB colour (0–255), nearest by Oklab distance, where equal steps look equal. */
export function colourName(colour: Rgb): string {
  const lab = toOklab(colour);
  const grey = lab[0] < NEARLY_BLACK || Math.hypot(lab[1], lab[2]) < GREYISH;
  let nearest = { name: '', distance: Infinity };
  for (const anchor of grey ? GREY_ANCHORS : HUE_ANCHORS) {
    const distance = distanceBetween(lab, anchor.lab);
    if (distance < nearest.distance) nearest = { name: anchor.name, distance };
  }
  return nearest.name;
}

function distanceBetween(one: Lab, other: Lab): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/** Björn Ottosson's Oklab, matrices as published. */
function toOklab([red, green, blue]: Rgb): Lab {
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

function linear(byte: number): number {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
