import { normalise } from './normalise.ts';
import { textOfBlock, type TruthBlock } from '../truth.ts';

/** Long enough to occur once, short enough to survive an error further on. */
const SIGNATURE = 18;

/**
 * Kendall's tau of the true blocks in the order in which a program wrote them, with the number of pairs: 1 for the same
 * order, -1 for the reverse. Blocks that cannot be found say nothing of the order; the error rate counts them.
 */
export function readingOrder(truth: readonly TruthBlock[], text: string): { agreed: number; pairs: number } {
  const found = normalise(text);
  const positions = truth.flatMap((block) => {
    const at = positionOf(normalise(textOfBlock(block)), found);
    return at >= 0 ? [at] : [];
  });
  let agreed = 0;
  let pairs = 0;
  for (const [index, one] of positions.entries()) {
    for (const other of positions.slice(index + 1)) {
      if (one === other) continue;
      pairs += 1;
      agreed += one < other ? 1 : -1;
    }
  }
  return { agreed, pairs };
}

function positionOf(block: string, text: string): number {
  for (let from = 0; from + Math.min(SIGNATURE, block.length) <= block.length && from < 200; from += 7) {
    const at = text.indexOf(block.slice(from, from + SIGNATURE));
    if (at >= 0) return Math.max(0, at - from);
  }
  return -1;
}
