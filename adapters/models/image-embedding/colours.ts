import { shrink, type Planes } from './planes.ts';

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
