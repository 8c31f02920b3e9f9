import { numeral } from '../flow/numeral.ts';
import type { MarkupElement } from '../markup/parse-markup.ts';
import type { Level, Styles } from './styles.ts';

/** The numbers of a list that is open, by level from 1; a list that continues another has the same. */
type Counts = (number | undefined)[];

export interface OpenList {
  levels: ReadonlyMap<number, Level>;
  counts: Counts;
  style: string;
}

/** Counts the items of the lists of a document in their order. */
export class ListNumbers {
  readonly #styles: Styles;
  readonly #byId = new Map<string, Counts>();
  readonly #byStyle = new Map<string, Counts>();
  readonly #headings: Counts = [];

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  /** @param outer the list that it is in, or the style of its paragraphs */
  open({ attributes }: MarkupElement, outer: OpenList | undefined): OpenList {
    const style = attributes['text:style-name'] ?? outer?.style ?? '';
    const own = this.#styles.list(style);
    const levels = own.size > 0 ? own : (outer?.levels ?? own);
    const { 'text:continue-list': before, 'xml:id': id } = attributes;
    const continued = before === undefined ? undefined : this.#byId.get(before);
    const again = attributes['text:continue-numbering'] === 'true' ? this.#byStyle.get(style) : undefined;
    const counts = outer?.counts ?? continued ?? again ?? [];
    if (!outer) this.#byStyle.set(style, counts);
    if (id !== undefined) this.#byId.set(id, counts);
    return { levels, counts, style };
  }

  /** The marker of the next item. @param level from 1 */
  next({ levels, counts }: OpenList, level: number, startValue: string | undefined): string {
    const own = levels.get(level);
    counts.length = Math.min(counts.length, level + 1);
    const start = Number.parseInt(startValue ?? '', 10);
    counts[level] = Number.isSafeInteger(start) ? start : (counts[level] ?? (own?.start ?? 1) - 1) + 1;
    return own?.format === undefined || own.format === 'none' ? '-' : labelOf(levels, counts, level);
  }

  /** The number of the next heading; empty if headings of its level have none. */
  heading(level: number): string {
    const levels = this.#styles.outline;
    const own = levels.get(level);
    this.#headings.length = Math.min(this.#headings.length, level + 1);
    this.#headings[level] = (this.#headings[level] ?? (own?.start ?? 1) - 1) + 1;
    return own?.format === undefined || own.format === 'none' ? '' : labelOf(levels, this.#headings, level);
  }
}

function labelOf(levels: ReadonlyMap<number, Level>, counts: Counts, level: number): string {
  const own = levels.get(level);
  if (!own) return '';
  const numbers: string[] = [];
  for (let at = Math.max(1, level - own.shown + 1); at <= level; at++) {
    const each = levels.get(at);
    const number = numeral(counts[at] ?? each?.start ?? 1, each?.format ?? 'none');
    if (number !== '' && each?.format !== undefined) numbers.push(number);
  }
  return `${own.prefix}${numbers.join('.')}${own.suffix}`.trim();
}
