import type { TextBlock } from './text-blocks.ts';

export interface ListMarker {
  ordered: boolean;
  /** As the list shows it, without its punctuation. */
  label: string;
  /** The item's text. */
  rest: string;
}

const BULLET = /^([•◦▪▫‣⁃∙●○■□◆◇➢➤►✓✔\u00B7\uF0B7\uF0A7\uF0D8\uF076])\s*(?=\S)/u;
const DASH = /^([-–—*+])\s+(?=\S)/u;
const ENUMERATOR = /^\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s+(?=\S)/u;

/** The marker that a line of a list begins with. */
export function listMarker(text: string): ListMarker | undefined {
  const bullet = BULLET.exec(text) ?? DASH.exec(text);
  if (bullet) return { ordered: false, label: bullet[1] ?? '', rest: text.slice(bullet[0].length) };
  const number = ENUMERATOR.exec(text);
  if (number) return { ordered: true, label: number[1] ?? '', rest: text.slice(number[0].length) };
  return undefined;
}

/** Whether neighbouring blocks with markers are a list: a lone "1." or dash may be anything. */
export function isList(items: readonly TextBlock[]): boolean {
  const markers = items.flatMap(({ text }) => listMarker(text) ?? []);
  if (markers.length !== items.length || markers.length === 0) return false;
  const [only] = markers;
  return markers.length >= 2 || (only !== undefined && !only.ordered && BULLET.test(items[0]?.text ?? ''));
}

/** One Markdown item a line, nested by the indent of the items. */
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
