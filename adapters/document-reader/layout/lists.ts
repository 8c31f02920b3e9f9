import { BULLET, isContentsLine, listMarker } from './list-marker.ts';
import type { TextBlock } from './text-blocks.ts';

/** Whether neighbouring blocks with markers are a list: a single "1." or dash is ambiguous. */
export function isList(items: readonly TextBlock[]): boolean {
  if (items.length > 1 && items.every(({ text }) => isContentsLine(text))) return true;
  const markers = items.flatMap(({ text }) => listMarker(text) ?? []);
  if (markers.length !== items.length || markers.length === 0) return false;
  const [only] = markers;
  return markers.length >= 2 || (only !== undefined && !only.ordered && BULLET.test(items[0]?.text ?? ''));
}

/** One Markdown item per line, nested by indent. */
export function listMarkdown(items: readonly TextBlock[]): string {
  const indents: number[] = [];
  const starts = items.map(({ box, column, rightToLeft }) =>
    rightToLeft ? column.x1 - box.x1 : box.x0 - column.x0,
  );
  const step = Math.min(...items.map(({ size }) => size)) * 0.6;
  for (const start of starts.toSorted((a, b) => a - b))
    if (start - (indents.at(-1) ?? -Infinity) > step) indents.push(start);
  return items
    .map(({ text }, index) => {
      const marker = listMarker(text);
      const level = Math.max(
        0,
        indents.findLastIndex((indent) => (starts[index] ?? 0) >= indent - 0.01),
      );
      const sign = marker?.ordered ? `${marker.label}.` : '-';
      return `${'  '.repeat(level)}${sign} ${marker?.rest ?? text}`;
    })
    .join('\n');
}
