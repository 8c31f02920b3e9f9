import type { TextRegion } from '../text-region.ts';

/** Maximum gap between the lines of a block, as a share of their height. */
const GAP = 0.9;
/** Maximum ratio between the heights of lines in one block: a heading is a block of its own. */
const HEIGHT_RATIO = 1.6;

/** Groups lines of text, from top to bottom, into visual blocks. Their texts keep the line breaks. */
export function textBlocks(lines: readonly TextRegion[]): TextRegion[] {
  const blocks: { texts: string[]; box: TextRegion['box']; last: TextRegion['box'] }[] = [];
  for (const { text, box } of lines.toSorted((a, b) => a.box.yMin - b.box.yMin)) {
    const block = blocks.find(({ last, box: whole }) => continues(last, box) && overlaps(whole, box));
    if (!block) {
      blocks.push({ texts: [text], box, last: box });
      continue;
    }
    block.texts.push(text);
    block.box = union(block.box, box);
    block.last = box;
  }
  return blocks.map(({ texts, box }) => ({ text: texts.join('\n'), box }));
}

function continues(above: TextRegion['box'], below: TextRegion['box']): boolean {
  const [one, other] = [above.yMax - above.yMin, below.yMax - below.yMin];
  const smaller = Math.min(one, other);
  if (smaller <= 0 || Math.max(one, other) / smaller > HEIGHT_RATIO) return false;
  return below.yMin - above.yMax <= GAP * Math.max(one, other) && below.yMin > above.yMin;
}

function overlaps(one: TextRegion['box'], other: TextRegion['box']): boolean {
  return one.xMin < other.xMax && other.xMin < one.xMax;
}

function union(one: TextRegion['box'], other: TextRegion['box']): TextRegion['box'] {
  return {
    xMin: Math.min(one.xMin, other.xMin),
    yMin: Math.min(one.yMin, other.yMin),
    xMax: Math.max(one.xMax, other.xMax),
    yMax: Math.max(one.yMax, other.yMax),
  };
}
