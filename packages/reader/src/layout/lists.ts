import type { ListItem } from '../document/element.ts';
import { BULLET, countsOn, isContentsLine, listMarker } from './list-marker.ts';
import { cleanText } from './plain-text.ts';
import type { TextBlock } from './text-blocks.ts';

/** Whether neighbouring blocks with markers are a list: a single "1." or dash is ambiguous. */
export function isList(items: readonly TextBlock[]): boolean {
  if (items.length > 1 && items.every(({ text }) => isContentsLine(text))) return true;
  const markers = items.flatMap(({ text }) => listMarker(text) ?? []);
  if (markers.length !== items.length || markers.length === 0) return false;
  const [only] = markers;
  const labels = markers.flatMap(({ ordered, label }) => (ordered ? [label] : []));
  if (labels.length > 1 && !countsOn(labels)) return false;
  return markers.length >= 2 || (only !== undefined && !only.ordered && BULLET.test(items[0]?.text ?? ''));
}

/** Whether an item stands alone only since code or a paragraph of its own divides its list: others count on from it. */
export function isDividedList(
  items: readonly TextBlock[],
  lists: readonly (readonly TextBlock[])[],
): boolean {
  const [own] = items;
  const label = own && orderedLabel(own);
  if (!own || items.length !== 1 || label === undefined) return false;
  return lists.some((others) => {
    const [first, last] = [others[0], others.at(-1)];
    if (!first || !last || first === own || Math.abs(first.box.x0 - own.box.x0) > own.size) return false;
    const [from, to] = [orderedLabel(first), orderedLabel(last)];
    if (from === undefined || to === undefined) return false;
    return Number(to) === Number(label) - 1 || Number(from) === Number(label) + 1;
  });
}

function orderedLabel({ text }: TextBlock): string | undefined {
  const marker = listMarker(text);
  return marker?.ordered === true ? marker.label : undefined;
}

/** The items of a list, nested by indent. */
export function listItems(items: readonly TextBlock[]): ListItem[] {
  const indents: number[] = [];
  const starts = items.map(({ box, column, rightToLeft }) =>
    rightToLeft ? column.x1 - box.x1 : box.x0 - column.x0,
  );
  const step = Math.min(...items.map(({ size }) => size)) * 0.6;
  for (const start of starts.toSorted((a, b) => a - b))
    if (start - (indents.at(-1) ?? -Infinity) > step) indents.push(start);
  return items.map(({ text }, index) => {
    const marker = listMarker(text);
    const depth = indents.findLastIndex((indent) => (starts[index] ?? 0) >= indent - 0.01);
    return {
      marker: marker?.sign ?? '-',
      text: cleanText(marker?.rest ?? text),
      depth: Math.max(0, depth),
    };
  });
}
