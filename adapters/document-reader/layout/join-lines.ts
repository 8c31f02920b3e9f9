const SOFT_HYPHEN = '\u00AD';
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * The text of several lines. A word that was divided at the end of a line is made whole, unless the same text also
 * writes it with a hyphen inside a line.
 */
export function joinLines(lines: readonly string[]): string {
  const all = lines.join('\n');
  return lines.reduce((text, line) => {
    if (text === '') return line;
    if (text.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + line;
    if (UNSPACED.test(text) && UNSPACED_START.test(line)) return text + line;
    const [first] = /(?<=\p{L})[-‐]$/u.exec(text) ?? [];
    if (first === undefined || !/^\p{Ll}/u.test(line)) {
      // A dash that ends a line between capitals or digits, as in "2019-\n2020", belongs to the word.
      return /(?<=[\p{L}\p{N}])[-‐/]$/u.test(text) ? text + line : `${text} ${line}`;
    }
    const start = /(?<![\p{L}-])[\p{L}-]+$/u.exec(text.slice(0, -1))?.[0] ?? '';
    const end = /^\p{L}+/u.exec(line)?.[0] ?? '';
    return all.includes(`${start}-${end}`) ? text + line : text.slice(0, -1) + line;
  }, '');
}
