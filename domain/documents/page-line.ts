/** A line of a page, as it can be compared with those of other pages. JSON. */
export interface PageLine {
  pageNumber: number;
  /** Its text with `#` for each number that may count with the pages. */
  words: string;
  numbers: readonly number[];
}

/** Words that a heading's number follows, in the languages of most documents, as part of a regular expression. */
export const HEADING_WORDS =
  'chapter|section|part|appendix|annex|kapitel|abschnitt|anhang|chapitre|capítulo|capitolo';

/** A page number has no zero before it and four digits at most; what is longer, as on an invoice, is its name. */
const NUMBER = /(?<![\p{L}\p{N}])(?:[1-9١-٩۱-۹][0-9٠-٩۰-۹]{0,3}|[ivxlc]{1,7})(?![\p{L}\p{N}])/gu;
const OWN_NUMBER = new RegExp(String.raw`^(?:${HEADING_WORDS})\s+\d+`, 'iu');
const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

export function pageLine(text: string, pageNumber: number): PageLine {
  const numbers: number[] = [];
  // Chapters that begin on each page are no page numbers.
  const [own = ''] = OWN_NUMBER.exec(text) ?? [];
  const words = text.slice(own.length).replaceAll(NUMBER, (number) => {
    numbers.push(valueOf(number));
    return '#';
  });
  return { pageNumber, words: `${own}${words}`, numbers };
}

/** Whether two pages have one line: the numbers in it are the same, or differ as those of the pages do. */
export function isSameLine(one: PageLine, other: PageLine): boolean {
  const pages = other.pageNumber - one.pageNumber;
  return (
    one.words === other.words &&
    one.numbers.every((number, at) => {
      const further = (other.numbers[at] ?? 0) - number;
      return further === 0 || further === pages;
    })
  );
}

function valueOf(number: string): number {
  const digits = [...number];
  if (!/\p{N}/u.test(number)) {
    const values = digits.map((digit) => ROMAN[digit] ?? 0);
    return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
  }
  // The last four bits of a digit are its value, in Latin and in Arabic scripts.
  return digits.reduce((value, digit) => value * 10 + ((digit.codePointAt(0) ?? 0) & 15), 0);
}
