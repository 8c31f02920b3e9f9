/** Text with plain letters, and without the leaders of a table of contents. */
export const cleanText = (text: string): string => plainLetters(text).replaceAll(/(?:\.\s?){5,}/g, '… ');

/**
 * Replaces ligatures and other purely typographic forms with plain letters, which are what searches use: "ﬁ" is "fi",
 * Arabic presentation forms are letters. Other compatibility forms, such as ² or ½, carry meaning and stay.
 */
export function plainLetters(text: string): string {
  return text
    .replaceAll(/[\uFB00-\uFB4F\uFB50-\uFDFF\uFE70-\uFEFC]/gu, (form) => form.normalize('NFKC'))
    .replaceAll(/(?![\t\n\r])[\p{Cc}\uFEFF\u200B]/gu, '')
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/gu, ' ')
    .replaceAll(/\p{Cs}/gu, '\uFFFD')
    .normalize('NFC');
}

const SOFT_HYPHEN = '\u00AD';
const LONGEST_WORD = 100;
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** English words that begin compounds, and the ends of other words that begin with them. */
const COMPOUNDS = /^(?:self|well|cost)$/i;
const OTHER_ENDS = /^(?:\p{L}{1,3}|less|same|hood|ness|ington|umes?|umed|liest|lier)$/iu;
/** Of a chain, as in state-of-the-art, and of pairs that no word begins and ends with. */
const CHAINED = /-(?:a|an|and|by|for|in|of|on|or|the|to|up)$/i;
const PAIRED = /^(?:full|high|large|long|low|open|real|short|small)$/i;
const PAIRED_ENDS =
  /^(?:end|frequency|length|level|order|performance|quality|range|resolution|scale|size|sized|source|speed|term|time|world)$/i;
const isCompound = (start: string, end: string): boolean =>
  (COMPOUNDS.test(start) && !OTHER_ENDS.test(end)) ||
  CHAINED.test(start) ||
  (PAIRED.test(start) && PAIRED_ENDS.test(end));

/**
 * Joins several lines. A word divided at the end of a line is joined, unless the same text also has it with a hyphen
 * inside a line.
 */
export function joinLines(lines: readonly string[]): string {
  const all = lines.join('\n');
  return lines.reduce((text, line) => {
    if (text === '') return line;
    if (text.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + line;
    // Its last word: the whole text, line by line, would take the square of its length.
    const tail = text.slice(-LONGEST_WORD);
    if (UNSPACED.test(tail) && UNSPACED_START.test(line)) return text + line;
    const [first] = /(?<=\p{L})[-‐]$/u.exec(tail) ?? [];
    if (first === undefined || !/^\p{Ll}/u.test(line)) {
      // A dash that ends a line between capitals or digits, as in "2019-\n2020", belongs to the word.
      return /(?<=[\p{L}\p{N}])[-‐/]$/u.test(tail) ? text + line : `${text} ${line}`;
    }
    const start = /(?<![\p{L}-])[\p{L}-]+$/u.exec(tail.slice(0, -1))?.[0] ?? '';
    const end = /^\p{L}+/u.exec(line)?.[0] ?? '';
    // No division leaves a letter alone: X-ray, e-mail.
    if ([...start].length === 1 || isCompound(start, end)) return text + line;
    return all.includes(`${start}-${end}`) ? text + line : text.slice(0, -1) + line;
  }, '');
}
