import { type Table, withOneHeader } from 'darkroom-reader/document';
import { tableLines, withoutLinks } from '../../../domain/documents/markdown.ts';

/** A sentence, a list item or a row of a table, with its place in the text. */
export interface TextUnit {
  text: string;
  from: number;
  to: number;
  kind: 'sentence' | 'item' | 'row';
  /** What ends in a colon above its list or table. */
  lead?: string;
  /** Its cells, and those of the first row of its table; rows only. */
  cells?: readonly string[];
  header?: readonly string[];
}

/** The cells of rows of tables by their lines; rulers have none. */
export type RowsByLine = ReadonlyMap<string, readonly string[]>;

/** What lines of a passage are rows of the tables on its pages. */
export function rowsByLine(tables: readonly Table[]): RowsByLine {
  return new Map(
    tables.flatMap((table) => {
      const { header, rows } = tableLines(withoutLinks(table));
      const [first = '', ...others] = header;
      const cells = withOneHeader(table);
      const lines = [first, ...rows].map((line, at) => [squashed(line), cells[at] ?? []] as const);
      return [...lines, ...others.map((line) => [squashed(line), []] as const)];
    }),
  );
}

/** Text without differences of white space. */
export const squashed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A heading without marks, its number and differences of white space. */
export const bareHeading = (text: string): string =>
  squashed(text.replace(/^#{1,6}\s+/, '').replace(NUMBERED, '')).toLowerCase();

/** As in `5. Leader` and `6.2 Composition`: without it where the text is divided as an item of a list. */
const NUMBERED = /^\s*\p{N}{1,3}(?:\.\p{N}{1,3}){0,5}[.)]?\s+/u;

/** A full stop after these does not end a sentence. */
const ABBREVIATIONS = new Set(
  'no nr vs fig eq approx ca cf eg ie bzw dr mr mrs ms prof st inc ltd co art sec ch vol pp max min ex env'.split(
    ' ',
  ),
);
const END = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[。！？]/gu;
/** One full stop, which may be that of an abbreviation. */
const STOP = /^\.(?!\.)/;
const ITEM = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/;

/**
 * Divides the text of a passage into sentences, list items and rows of tables, in their order. A line break within a
 * paragraph does not end a sentence; headers of tables are no rows.
 */
export function unitsOf(text: string, rows: RowsByLine = NO_ROWS): TextUnit[] {
  const units: TextUnit[] = [];
  let prose: { from: number; to: number; kind: 'sentence' | 'item' } | undefined;
  let header: readonly string[] | undefined;
  let lead: string | undefined;
  const flush = (): void => {
    if (!prose) return;
    const isItem = prose.kind === 'item';
    const found = sentencesIn(text, prose).map((unit) => (isItem && lead ? { ...unit, lead } : unit));
    units.push(...found);
    const last = found.at(-1);
    if (last?.text.endsWith(':')) lead = isItem && lead ? `${lead} ${last.text}` : last.text;
    else if (!isItem) lead = undefined;
    prose = undefined;
  };
  let from = 0;
  for (const line of text.split('\n')) {
    const to = from + line.length;
    const cells = rows.get(squashed(line));
    if (line.trim() === '') {
      flush();
      header = undefined;
    } else if (cells) {
      flush();
      if (header && cells.length > 0)
        units.push({ text: line.trim(), from, to, kind: 'row', cells, header, ...(lead && { lead }) });
      header ??= cells;
    } else if (ITEM.test(line)) {
      flush();
      prose = { from: from + (ITEM.exec(line)?.[0].length ?? 0), to, kind: 'item' };
    } else {
      prose = { from: prose?.from ?? from, to, kind: prose?.kind ?? 'sentence' };
    }
    from = to + 1;
  }
  flush();
  return units;
}

const NO_ROWS: RowsByLine = new Map();

function sentencesIn(
  text: string,
  { from, to, kind }: { from: number; to: number; kind: 'sentence' | 'item' },
): TextUnit[] {
  const prose = text.slice(from, to);
  const units: TextUnit[] = [];
  let begin = 0;
  const push = (end: number): void => {
    const sentence = prose.slice(begin, end);
    if (/[\p{L}\p{N}]/u.test(sentence)) {
      const indent = sentence.length - sentence.trimStart().length;
      units.push({
        text: sentence.trim(),
        from: from + begin + indent,
        to: from + begin + sentence.trimEnd().length,
        kind,
      });
    }
    begin = end;
  };
  for (const match of prose.matchAll(END)) {
    const end = match.index + match[0].length;
    if (!STOP.test(match[0]) || endsSentence(prose, match.index)) push(end);
  }
  push(prose.length);
  return units;
}

/** Whether a full stop ends a sentence: not after an abbreviation or an initial, if no unit, or before a small letter. */
function endsSentence(prose: string, at: number): boolean {
  const before = prose.slice(Math.max(0, at - 12), at);
  const [word = ''] = /(?<![\p{L}.])[\p{L}.]*$/u.exec(before) ?? [];
  const plain = word.replaceAll('.', '').toLowerCase();
  const isShort = ABBREVIATIONS.has(plain) || (plain.length === 1 && /\p{L}/u.test(plain));
  if (isShort && !/\d\s?\p{L}{1,3}$/u.test(before)) return false;
  return !/^["'”’)\]]*\s+\p{Ll}/u.test(prose.slice(at + 1, at + 12));
}
