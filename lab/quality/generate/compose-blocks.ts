import type { TruthBlock } from '../truth.ts';
import { createComposer, DESIGN, type Design } from './composer.ts';

/** Given blocks as a PDF. */
export async function composeBlocks(
  blocks: readonly TruthBlock[],
  design: Partial<Design>,
): Promise<Uint8Array> {
  const composer = await createComposer({ ...DESIGN, ...design });
  for (const block of blocks) {
    if (block.type === 'heading') composer.heading(block.level, block.text);
    else if (block.type === 'list') composer.list(block.items);
    else if (block.type === 'table')
      composer.table(block.rows, {
        ruled: 'all',
        widths: block.rows[0]?.map((_, column) => (column === 0 ? 3 : 1)) ?? [],
        numbers: false,
      });
    else if (block.type === 'pair') composer.pairs([[block.key, block.value]], false);
    else composer.paragraph(block.text);
  }
  return (await composer.finish()).bytes;
}
