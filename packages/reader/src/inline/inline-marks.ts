import type { ElementContent, Mark } from '../document/element.ts';

/** What stands in the text before and after a part of it; both empty for a part without a mark. */
export interface Signs {
  begin: string;
  end: string;
}

/** Noncharacters, which Unicode keeps for use within a program. */
const STRUCK = '\uFDD0';
const LINK = '\uFDD1';
const END = '\uFDD2';
/** Sixteen of them are the digits of a link's number, most significant first. */
const FIRST_DIGIT = 0xfde0;
const PARTS = /[\uFDD0\uFDD2]|\uFDD1[\uFDE0-\uFDEF]*|[^\uFDD0-\uFDEF]+/gu;
const ANY = /[\uFDD0-\uFDEF]/u;

export const UNMARKED: Signs = { begin: '', end: '' };
const LONGEST_TARGET = 2_000;
/** Characters of all targets of a document. */
const MOST_TARGETS = 2_000_000;
/** Where a link of a document leads outside it. */
const OUTSIDE = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);

/**
 * The marks in the text of a document while it is read. A mark is written into the text, moves with it through joins, trims
 * and cuts, and is separated from it when the element is complete. Marks that are cut off end with their text.
 */
export class InlineMarks {
  readonly struck: Signs = { begin: STRUCK, end: END };
  readonly #targets: string[] = [];
  readonly #base: string | undefined;
  #characters = 0;

  /** @param base address that targets are relative to; without one, relative targets are left out */
  constructor(base?: string) {
    this.#base = base;
  }

  /** None for a target within the document, a script, or one that is too long. */
  link(target: string): Signs {
    const url = URL.parse(target.trim(), this.#base);
    const href = url?.href.replaceAll('(', '%28').replaceAll(')', '%29') ?? '';
    const isOutside = url !== null && OUTSIDE.has(url.protocol) && !target.trim().startsWith('#');
    if (!isOutside || href.length > LONGEST_TARGET || this.#characters > MOST_TARGETS) return UNMARKED;
    this.#characters += href.length;
    const number = this.#targets.push(href) - 1;
    const digits = [...number.toString(16)].map((digit) => FIRST_DIGIT + Number.parseInt(digit, 16));
    return { begin: LINK + String.fromCharCode(...digits), end: END };
  }

  /** The element with its text and its marks apart. */
  separate(element: ElementContent): ElementContent {
    switch (element.type) {
      case 'table': {
        const marks: NonNullable<typeof element.marks>[number][] = [];
        const rows = element.rows.map((cells, row) =>
          cells.map((cell, column) => {
            const { text, marks: own } = this.#separated(cell);
            if (own.length > 0) marks.push({ row, column, marks: own });
            return text;
          }),
        );
        return { ...element, rows, ...(marks.length > 0 && { marks }) };
      }
      case 'list':
        return { ...element, items: element.items.map((item) => ({ ...item, ...this.#text(item.text) })) };
      case 'key_value': {
        const { text: value, ...marks } = this.#text(element.value);
        return { ...element, key: this.#separated(element.key).text, value, ...marks };
      }
      default: {
        const { text: content, ...marks } = this.#text(element.content);
        return { ...element, content, ...marks };
      }
    }
  }

  #text(given: string): { text: string; marks?: Mark[] } {
    const { text, marks } = this.#separated(given);
    return { text, ...(marks.length > 0 && { marks }) };
  }

  #separated(given: string): { text: string; marks: Mark[] } {
    if (!ANY.test(given)) return { text: given, marks: [] };
    const kept: string[] = [];
    let length = 0;
    /** The length without white space at the end. */
    let shown = 0;
    const open: Mark[] = [];
    const marks: Mark[] = [];
    const close = (): void => {
      const mark = open.pop();
      if (mark && mark.start < shown) add(marks, { ...mark, end: shown });
    };
    for (const [part] of given.matchAll(PARTS)) {
      if (part === END) close();
      else if (part === STRUCK) open.push({ kind: 'struck', start: length, end: 0 });
      else if (part.startsWith(LINK)) open.push({ ...this.#linkOf(part), start: length, end: 0 });
      else {
        // White space may have been on both sides of a mark, and at the beginning within one.
        const own = kept.length > 0 && shown < length ? part.trimStart() : part;
        const indent = own.length - own.trimStart().length;
        for (const mark of open) if (mark.start >= shown) mark.start = length + indent;
        kept.push(own);
        length += own.length;
        if (indent < own.length) shown = length - (own.length - own.trimEnd().length);
      }
    }
    while (open.length > 0) close();
    const text = kept.join('').slice(0, shown);
    return {
      text,
      marks: marks
        .filter((mark) => !saysItself(mark, text))
        .toSorted((a, b) => a.start - b.start || b.end - a.end),
    };
  }

  #linkOf(part: string): { kind: 'link'; target: string } {
    let number = 0;
    for (const digit of part.slice(LINK.length)) number = number * 16 + digit.charCodeAt(0) - FIRST_DIGIT;
    return { kind: 'link', target: this.#targets[number] ?? '' };
  }
}

/** Adds a mark, or to the one before it: programs divide a text of one look into many parts. */
function add(marks: Mark[], mark: Mark): void {
  const last = marks.at(-1);
  const goesOn =
    last?.end === mark.start &&
    (last.kind === 'link' ? mark.kind === 'link' && mark.target === last.target : mark.kind === 'struck');
  if (last && goesOn) last.end = mark.end;
  else marks.push(mark);
}

/** Whether a link's text is its target. */
function saysItself(mark: Mark, text: string): boolean {
  if (mark.kind !== 'link') return false;
  const shown = text.slice(mark.start, mark.end);
  return mark.target === '' || bare(mark.target) === bare(shown);
}

const bare = (address: string): string =>
  address.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
