/**
 * What the numbers of a picture mean, apart from an ICC profile: the code points of ITU-T H.273 that videos, AVIF, HEIC and
 * PNG (cICP) share.
 */

/** CIE x and y of red, green, blue and white. */
export type Chromaticities = readonly [number, number, number, number, number, number, number, number];

/** A transfer function between coded values (0–1) and light, where 1 is the white of an image without HDR. */
export interface Transfer {
  toLight: (coded: number) => number;
  /** Brightest light; above 1, it is tone mapped. */
  peak: number;
  /** Encodes what is shown; the inverse of sRGB unless the signal is referred to the scene. */
  toShown?: (light: number) => number;
}

/** The meaning of coded red, green and blue. */
export interface ColourSignal {
  primaries: Chromaticities;
  transfer: Transfer;
}

const D65 = [0.3127, 0.329] as const;
const C = [0.31, 0.316] as const;
const DCI = [0.314, 0.351] as const;
const E = [1 / 3, 1 / 3] as const;

export const BT709: Chromaticities = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, ...D65];

/**
 * By code point, with the names that ffmpeg prints. Those of standard definition count as BT.709, as in most players: they
 * are close, and many writers set them by the size of the frame alone.
 */
const PRIMARIES: readonly [code: number, name: string, primaries: Chromaticities][] = [
  [1, 'bt709', BT709],
  [2, 'unknown', BT709],
  [4, 'bt470m', [0.67, 0.33, 0.21, 0.71, 0.14, 0.08, ...C]],
  [5, 'bt470bg', BT709],
  [6, 'smpte170m', BT709],
  [7, 'smpte240m', BT709],
  [8, 'film', [0.681, 0.319, 0.243, 0.692, 0.145, 0.049, ...C]],
  [9, 'bt2020', [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, ...D65]],
  [10, 'smpte428', [1, 0, 0, 1, 0, 0, ...E]],
  [11, 'smpte431', [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...DCI]],
  [12, 'smpte432', [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...D65]],
  [22, 'ebu3213', [0.63, 0.34, 0.295, 0.605, 0.155, 0.077, ...D65]],
];

export function srgbToLight(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}

export function lightToSrgb(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** sRGB, and what players and browsers show like it: the curves of all television without HDR. */
export const SRGB: Transfer = { toLight: srgbToLight, peak: 1 };

/** A power function of coded values. */
export function gamma(exponent: number): Transfer {
  return { toLight: (coded) => coded ** exponent, peak: 1 };
}

function logarithmic(decades: number): Transfer {
  return { toLight: (coded) => (coded <= 0 ? 0 : 10 ** (decades * (coded - 1))), peak: 1 };
}

/** Light of the reference white of HDR in cd/m² (ITU-R BT.2408), and the brightest that is told apart. */
const [REFERENCE_WHITE, HDR_PEAK] = [203, 1000];

const PQ: Transfer = {
  toLight(coded) {
    const power = coded ** (1 / 78.84375);
    const light = (Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125);
    return (light * 10_000) / REFERENCE_WHITE;
  },
  peak: HDR_PEAK / REFERENCE_WHITE,
};

const [HLG_A, HLG_B, HLG_C] = [0.17883277, 0.28466892, 0.55991073];
function hlgToScene(coded: number): number {
  return coded <= 0.5 ? (coded * coded) / 3 : (Math.exp((coded - HLG_C) / HLG_A) + HLG_B) / 12;
}

/** Referred to the scene, like BT.709, by whose curve a camera without HDR would have encoded it (ITU-R BT.2408). */
const HLG: Transfer = {
  toLight: (coded) => hlgToScene(coded) / hlgToScene(0.75),
  peak: 1 / hlgToScene(0.75),
  toShown: (light) => (light < 0.018 ? light * 4.5 : 1.099 * light ** 0.45 - 0.099),
};

const TRANSFERS: readonly [code: number, name: string, transfer: Transfer][] = [
  [1, 'bt709', SRGB],
  [2, 'unknown', SRGB],
  [4, 'bt470m', SRGB],
  [5, 'bt470bg', SRGB],
  [6, 'smpte170m', SRGB],
  [7, 'smpte240m', SRGB],
  [8, 'linear', gamma(1)],
  [9, 'log100', logarithmic(2)],
  [10, 'log316', logarithmic(2.5)],
  [11, 'iec61966-2-4', SRGB],
  [12, 'bt1361e', SRGB],
  [13, 'iec61966-2-1', SRGB],
  [14, 'bt2020-10', SRGB],
  [15, 'bt2020-12', SRGB],
  [16, 'smpte2084', PQ],
  [17, 'smpte428', { toLight: (coded) => (coded ** 2.6 * 52.37) / 48, peak: 52.37 / 48 }],
  [18, 'arib-std-b67', HLG],
];

/**
 * The signal of two code points, or of their names as ffmpeg prints them.
 *
 * @returns undefined for a reserved or unknown one
 */
export function signalOf(primaries: number | string, transfer: number | string): ColourSignal | undefined {
  const matching = (key: number | string) => (entry: readonly [number, string, unknown]) =>
    entry[0] === key || entry[1] === key;
  const [, , chromaticities] = PRIMARIES.find(matching(primaries)) ?? [];
  const [, , curve] = TRANSFERS.find(matching(transfer)) ?? [];
  return chromaticities && curve && { primaries: chromaticities, transfer: curve };
}

/** Whether the coded values are shown as they are. */
export function isSrgb({ primaries, transfer }: ColourSignal): boolean {
  return transfer === SRGB && primaries.every((value, at) => Math.abs(value - (BT709[at] ?? 0)) < 0.002);
}
