/** A small decoded frame: 8-bit YUV 4:2:0 of full range, plane by plane, with even sides. */
export interface SmallFrame {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The measurements of a small frame. */
export interface FrameSample {
  /** Seconds from the beginning of the video. */
  at: number;
  /** Mean luminance, 0 black – 1 white. */
  brightness: number;
  /** Standard deviation of luminance. */
  contrast: number;
  /** Strength of its sharpest edges, by the Laplacian of luminance: 0 blurred or flat – 1. */
  sharpness: number;
  /** Mean of the two colour differences, 0–1; grey is 0.5. */
  colour: readonly [number, number];
  /** Difference hash of 64 bits, hexadecimal. */
  hash: string;
}

/** The features by which two frames are compared. */
export interface FrameSignature {
  grid: Float32Array;
  histogram: Float32Array;
}

const [GRID_ACROSS, GRID_DOWN] = [16, 12];
const BINS = 16;
const [HASH_ACROSS, HASH_DOWN] = [9, 8];

interface Plane {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Size of a small frame in bytes. */
export function frameBytes({ width, height }: Pick<SmallFrame, 'width' | 'height'>): number {
  return (width * height * 3) / 2;
}

/** Even dimensions with a longer side of about this length, in the displayed aspect ratio. */
export function smallSize(
  { width, height }: { width: number; height: number },
  side: number,
): { width: number; height: number } {
  const factor = Math.min(1, side / Math.max(width, height));
  const even = (length: number) => Math.max(2, Math.round((length * factor) / 2) * 2);
  return { width: even(width), height: even(height) };
}

/** Measures a small frame. */
export function sampleFrame(
  frame: SmallFrame,
  at: number,
): { sample: FrameSample; signature: FrameSignature } {
  const [luma, first, second] = planesOf(frame);
  const { brightness, contrast, histogram } = measureLuma(luma);
  const grids = [luma, first, second].map((plane) => gridOf(plane, GRID_ACROSS, GRID_DOWN));
  const [, u, v] = grids.map(mean);
  return {
    sample: {
      at,
      brightness,
      contrast,
      sharpness: sharpnessOf(luma),
      colour: [u ?? 0.5, v ?? 0.5],
      hash: hashOf(luma),
    },
    signature: { grid: Float32Array.from(grids.flatMap((grid) => [...grid])), histogram },
  };
}

/** How different two frames are: 0 equal – 1 nothing in common. Moderate motion stays below 0.2. */
export function changeBetween(a: FrameSignature, b: FrameSignature): number {
  // Sum of the differences of the three planes.
  const places = Math.min(1, 2.5 * 3 * meanDifference(a.grid, b.grid));
  const tones = (meanDifference(a.histogram, b.histogram) * BINS) / 2;
  return (places + Math.min(1, tones)) / 2;
}

/** Number of differing bits of two hashes, 0–64. Compared pairwise over all scenes, so without big integers. */
export function hashDistance(a: string, b: string): number {
  let count = 0;
  for (const half of [0, 8]) {
    const [one, other] = [a, b].map((hash) => Number.parseInt(hash.slice(half, half + 8), 16));
    for (let differing = (one ?? 0) ^ (other ?? 0); differing !== 0; differing &= differing - 1) count += 1;
  }
  return count;
}

const ALIKE_BITS = 10;
const ALIKE_TONE = 0.08;

/** Whether two frames look the same to a viewer: the same outlines in the same colours. */
export function looksAlike(a: FrameSample, b: FrameSample): boolean {
  const tones = [
    a.brightness - b.brightness,
    (a.colour[0] - b.colour[0]) * 2,
    (a.colour[1] - b.colour[1]) * 2,
  ];
  return hashDistance(a.hash, b.hash) <= ALIKE_BITS && tones.every((tone) => Math.abs(tone) <= ALIKE_TONE);
}

function planesOf({ data, width, height }: SmallFrame): [Plane, Plane, Plane] {
  const [half, low] = [width / 2, height / 2];
  const [luma, chroma] = [width * height, half * low];
  return [
    { data: data.subarray(0, luma), width, height },
    { data: data.subarray(luma, luma + chroma), width: half, height: low },
    { data: data.subarray(luma + chroma, luma + 2 * chroma), width: half, height: low },
  ];
}

function measureLuma({ data }: Plane) {
  const counts = new Uint32Array(BINS);
  let [sum, squares] = [0, 0];
  for (const value of data) {
    sum += value;
    squares += value * value;
    counts[value >> 4] = (counts[value >> 4] ?? 0) + 1;
  }
  const average = sum / data.length;
  return {
    brightness: average / 255,
    contrast: Math.sqrt(Math.max(0, squares / data.length - average * average)) / 255,
    histogram: Float32Array.from(counts, (count) => count / data.length),
  };
}

/** Share of pixels taken as the sharpest: where an image has edges, more pixels than this contain them. */
const SHARPEST = 0.01;

function sharpnessOf({ data, width, height }: Plane): number {
  const counts = new Uint32Array(256);
  for (let row = 1; row < height - 1; row += 1) {
    for (let at = row * width + 1; at < (row + 1) * width - 1; at += 1) {
      const around =
        (data[at - 1] ?? 0) + (data[at + 1] ?? 0) + (data[at - width] ?? 0) + (data[at + width] ?? 0);
      const edge = Math.abs(4 * (data[at] ?? 0) - around) >> 2;
      counts[edge] = (counts[edge] ?? 0) + 1;
    }
  }
  let left = Math.floor(SHARPEST * Math.max(0, (width - 2) * (height - 2)));
  for (let edge = 255; edge > 0; edge -= 1) {
    left -= counts[edge] ?? 0;
    if (left < 0) return edge / 255;
  }
  return 0;
}

/** Means of the cells of a grid, 0–1. */
function gridOf({ data, width, height }: Plane, across: number, down: number): Float32Array {
  const sums = new Uint32Array(across * down);
  const counts = new Uint32Array(across * down);
  const places = Uint8Array.from({ length: width }, (_, column) => Math.floor((column * across) / width));
  for (let row = 0; row < height; row += 1) {
    const cellRow = Math.floor((row * down) / height) * across;
    for (let column = 0; column < width; column += 1) {
      const cell = cellRow + (places[column] ?? 0);
      sums[cell] = (sums[cell] ?? 0) + (data[row * width + column] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  }
  return Float32Array.from(sums, (sum, cell) => sum / Math.max(1, counts[cell] ?? 1) / 255);
}

/** A smaller difference, as a share of the range of luminance, is noise. */
const LEAST_STEP = 2 / 255;

function hashOf(luma: Plane): string {
  const grid = gridOf(luma, HASH_ACROSS, HASH_DOWN);
  let bits = 0n;
  for (let row = 0; row < HASH_DOWN; row += 1) {
    for (let column = 0; column < HASH_ACROSS - 1; column += 1) {
      const at = row * HASH_ACROSS + column;
      bits = (bits << 1n) | ((grid[at] ?? 0) - (grid[at + 1] ?? 0) > LEAST_STEP ? 1n : 0n);
    }
  }
  return bits.toString(16).padStart(16, '0');
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
}
