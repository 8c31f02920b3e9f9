import { type Plane, type Planes, shrink } from './planes.ts';

const CELLS = 4;
const HUES = 8;
/** Dark, medium and light of each hue; greys have four steps. */
const SHADES = 3;
const GREYS = 4;
/** Oklab chroma under which an eye sees grey. */
const GREYISH = 0.03;

/** The mean colour of each cell of a grid, without its lightness: 32 numbers. */
export function colourGrid({ greenRed, blueYellow }: Planes): number[] {
  return [...shrink(greenRed, CELLS).values, ...shrink(blueYellow, CELLS).values];
}

/** How common colours are, regardless of position: 28 numbers. */
export function palette({ lightness, greenRed, blueYellow }: Planes): number[] {
  const counts = Array.from({ length: HUES * SHADES + GREYS }, () => 0);
  lightness.values.forEach((light, at) => {
    const [a = 0, b = 0] = [greenRed.values[at], blueYellow.values[at]];
    const grey = Math.hypot(a, b) < GREYISH;
    const hue = Math.floor((Math.atan2(b, a) / (2 * Math.PI) + 0.5) * HUES) % HUES;
    const bin = grey ? HUES * SHADES + step(light, GREYS) : hue * SHADES + step(light, SHADES);
    counts[bin] = (counts[bin] ?? 0) + 1;
  });
  return counts.map(Math.sqrt);
}

function step(light: number, steps: number): number {
  return Math.min(steps - 1, Math.max(0, Math.floor(light * steps)));
}

/** Waves per side: the broad distribution of light and dark. */
const WAVES = 6;

/** The lowest frequencies of a discrete cosine transform, without the mean: 35 numbers. */
export function tones({ values, side }: Plane): number[] {
  const waves = Array.from({ length: WAVES }, (_, wave) =>
    Float32Array.from({ length: side }, (_, at) => Math.cos((Math.PI * (2 * at + 1) * wave) / (2 * side))),
  );
  const found: number[] = [];
  for (const [across, waveAcross] of waves.entries()) {
    for (const [down, waveDown] of waves.entries()) {
      if (across === 0 && down === 0) continue;
      let sum = 0;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          sum += (values[y * side + x] ?? 0) * (waveAcross[x] ?? 0) * (waveDown[y] ?? 0);
        }
      }
      found.push(Math.sign(sum) * Math.sqrt(Math.abs(sum)));
    }
  }
  return found;
}

/** Distinguished edge directions, over half a turn: light beside dark counts like dark beside light. */
const DIRECTIONS = 8;
const FLAT = 1e-4;

/**
 * Strength of edges by direction in each cell of a grid: cells × cells × 8 numbers. A pixel contributes to the cells
 * around it by proximity, so that shifting or cropping an image changes little.
 */
export function edges({ values, side }: Plane, cells: number): number[] {
  const strengths = new Float64Array(cells * cells * DIRECTIONS);
  const at = (x: number, y: number) => values[y * side + x] ?? 0;
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1; x < side - 1; x++) {
      const across = at(x + 1, y) - at(x - 1, y);
      const down = at(x, y + 1) - at(x, y - 1);
      // Several times as fast as Math.hypot, which guards against overflow.
      const strength = Math.sqrt(across * across + down * down);
      if (strength < FLAT) continue;
      const direction = ((Math.atan2(down, across) / Math.PI + 1) % 1) * DIRECTIONS;
      const [column, row] = [(x / side) * cells - 0.5, (y / side) * cells - 0.5];
      // Loops over 0 and 1, not arrays: this is the hottest loop of the whole embedding.
      for (let right = 0; right < 2; right++) {
        const cellColumn = Math.floor(column) + right;
        if (cellColumn < 0 || cellColumn >= cells) continue;
        for (let below = 0; below < 2; below++) {
          const cellRow = Math.floor(row) + below;
          if (cellRow < 0 || cellRow >= cells) continue;
          const cell = (cellRow * cells + cellColumn) * DIRECTIONS;
          const part = strength * share(column, right) * share(row, below);
          for (let next = 0; next < 2; next++) {
            const target = cell + ((Math.floor(direction) + next) % DIRECTIONS);
            strengths[target] = (strengths[target] ?? 0) + part * share(direction, next);
          }
        }
      }
    }
  }
  // The square root keeps one hard edge from outweighing all soft ones.
  return Array.from(strengths, Math.sqrt);
}

/** The share of the integer below a position (0) or above it (1), by proximity. */
function share(position: number, above: number): number {
  const below = Math.floor(position);
  return above === 0 ? below + 1 - position : position - below;
}

/** The ring of a pixel's neighbours. */
const RING = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
] as const;
/** A neighbour must be brighter by more than compression noise. */
const BRIGHTER = 0.01;
/** One arc of 1–7 brighter neighbours that begins in one of four quarters; none; all; several arcs. */
const PATTERNS = 7 * 4 + 3;

/** How common local binary patterns are, regardless of position: 31 numbers. Cropping preserves them. */
export function texture({ values, side }: Plane): number[] {
  const counts = Array.from({ length: PATTERNS }, () => 0);
  const steps = RING.map(([dx, dy]) => dy * side + dx);
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1; x < side - 1; x++) {
      const centre = y * side + x;
      const here = (values[centre] ?? 0) + BRIGHTER;
      let ring = 0;
      for (let at = 0; at < RING.length; at++) {
        if ((values[centre + (steps[at] ?? 0)] ?? 0) > here) ring |= 1 << at;
      }
      const bin = BINS[ring] ?? 0;
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  return counts.map(Math.sqrt);
}

/** The pattern of each ring, whose bit is set where a neighbour is brighter. */
const BINS = Array.from({ length: 1 << RING.length }, (_, ring) =>
  patternOf(RING.map((_, at) => (ring & (1 << at)) !== 0)),
);

function patternOf(ring: readonly boolean[]): number {
  const brighter = ring.filter(Boolean).length;
  if (brighter === 0) return PATTERNS - 3;
  if (brighter === ring.length) return PATTERNS - 2;
  const starts = ring.flatMap((bright, at) => (bright && !ring.at(at - 1) ? [at] : []));
  const [start = 0] = starts;
  return starts.length > 1 ? PATTERNS - 1 : (brighter - 1) * 4 + (start >> 1);
}
