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
  const texts = truth.map((block) => normalise(textOfBlock(block)));
  const total = texts.reduce((sum, { length }) => sum + length + 1, 0);
  let before = 0;
  const positions = texts.flatMap((block) => {
    const at = positionOf(block, found, (before / total) * found.length);
    before += block.length + 1;
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

/** Of several places that read alike, the one nearest to where the block should be. */
function positionOf(block: string, text: string, expected: number): number {
  for (let from = 0; from + Math.min(SIGNATURE, block.length) <= block.length && from < 200; from += 7) {
    const signature = block.slice(from, from + SIGNATURE);
    let best = -1;
    for (let at = text.indexOf(signature); at >= 0; at = text.indexOf(signature, at + 1))
      if (best < 0 || Math.abs(at - expected) < Math.abs(best - expected)) best = at;
    if (best >= 0) return Math.max(0, best - from);
  }
  return -1;
}
