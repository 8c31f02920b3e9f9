import type { Plane } from './planes.ts';

/** Distinguished edge directions, over half a turn: light beside dark counts like dark beside light. */
const DIRECTIONS = 8;
const FLAT = 1e-4;

/**
 * Strength of edges by direction in each cell of a grid: cells × cells × 8 numbers. A pixel contributes to the cells
 * around it by proximity, so that shifting or cropping a picture changes little.
 */
export function edges({ values, side }: Plane, cells: number): number[] {
  const strengths = Array.from({ length: cells * cells * DIRECTIONS }, () => 0);
  const at = (x: number, y: number) => values[y * side + x] ?? 0;
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1; x < side - 1; x++) {
      const across = at(x + 1, y) - at(x - 1, y);
      const down = at(x, y + 1) - at(x, y - 1);
      const strength = Math.hypot(across, down);
      if (strength < FLAT) continue;
      const direction = ((Math.atan2(down, across) / Math.PI + 1) % 1) * DIRECTIONS;
      for (const [column, columnShare] of around((x / side) * cells - 0.5)) {
        for (const [row, rowShare] of around((y / side) * cells - 0.5)) {
          if (column < 0 || row < 0 || column >= cells || row >= cells) continue;
          for (const [bin, binShare] of around(direction)) {
            const target = (row * cells + column) * DIRECTIONS + (bin % DIRECTIONS);
            strengths[target] = (strengths[target] ?? 0) + strength * columnShare * rowShare * binShare;
          }
        }
      }
    }
  }
  // The square root keeps one hard edge from outweighing all soft ones.
  return strengths.map(Math.sqrt);
}

/** The two integers around a position, each with its share. */
function around(position: number): [number, number][] {
  const below = Math.floor(position);
  return [
    [below, below + 1 - position],
    [below + 1, position - below],
  ];
}
