import type { Plane } from './planes.ts';

/** Distinguished edge directions, over half a turn: light beside dark counts like dark beside light. */
const DIRECTIONS = 8;
const FLAT = 1e-4;

/**
 * Strength of edges by direction in each cell of a grid: cells × cells × 8 numbers. A pixel contributes to the cells
 * around it by proximity, so that shifting or cropping a picture changes little.
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
      // Loops over 0 and 1, not arrays: this is the innermost of everything that is computed for a picture.
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
