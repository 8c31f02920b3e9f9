import type { Plane } from './planes.ts';

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
