import { CAPTIONED } from './figures.ts';
import { overlapX, overlapY, widthOf, type Box } from './geometry.ts';
import type { FoundPart } from './find-parts.ts';
import type { TextBlock } from './text-blocks.ts';

/** A caption is at most this many heights of its font away from its figure. */
const NEAR = 3.5;

/** Gives each figure the caption next to it, which then no longer stands for itself. */
export function attachCaptions(parts: readonly FoundPart[]): FoundPart[] {
  const taken = new Set<FoundPart>();
  const captioned = parts.map((part): FoundPart => {
    if (part.kind !== 'figure') return part;
    let best: { distance: number; part: FoundPart; block: TextBlock } | undefined;
    for (const other of parts) {
      if (other.kind !== 'text' || taken.has(other) || !CAPTIONED.test(other.block.text)) continue;
      const distance = distanceTo(part.box, other.block.box);
      if (distance < NEAR * other.block.size && distance < (best?.distance ?? Infinity))
        best = { distance, part: other, block: other.block };
    }
    if (!best) return part;
    taken.add(best.part);
    return { ...part, caption: best.block };
  });
  return captioned.filter((part) => !taken.has(part));
}

/** Between a figure and the text below or above it; endless beside it. */
function distanceTo(figure: Box, text: Box): number {
  if (overlapX(figure, text) < Math.min(widthOf(figure), widthOf(text)) * 0.3) return Infinity;
  return Math.max(0, -overlapY(figure, text));
}
