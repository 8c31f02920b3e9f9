/** A sentence, a list item or a row of a table, with its place in the text. */
export interface TextUnit {
  text: string;
  from: number;
  to: number;
  kind: 'sentence' | 'item' | 'row';
  /** What ends in a colon above its list or table. */
  lead?: string;
  /** The cells of the first row of its table; rows only. */
  header?: readonly string[];
}

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
const RULER = /^[\s|:-]+$/;

/**
 * Divides the text of a passage into sentences, list items and rows of Markdown tables, in their order. A line break
 * within a paragraph does not end a sentence; headers and rulers of tables are no rows.
 */
export function unitsOf(text: string): TextUnit[] {
  const units: TextUnit[] = [];
  let prose: { from: number; to: number; kind: 'sentence' | 'item' } | undefined;
  let header: string[] | undefined;
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
    if (line.trim() === '') {
      flush();
      header = undefined;
    } else if (line.trimStart().startsWith('|')) {
      flush();
      if (header && !RULER.test(line)) {
        units.push({ text: line.trim(), from, to, kind: 'row', header, ...(lead && { lead }) });
      }
      header ??= cellsIn(line);
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

/** The cells of a row of a Markdown table. */
export function cellsIn(row: string): string[] {
  const cells = row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
  return cells.map((cell) => cell.trim());
}

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
