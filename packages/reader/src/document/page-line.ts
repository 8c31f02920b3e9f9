/** A line of a page in a form comparable across pages. JSON. */
export interface PageLine {
  pageNumber: number;
  /** Its text with `#` for each number that may follow the page numbering. */
  words: string;
  numbers: readonly number[];
}

/** Words that precede the number of a heading, in the languages of most documents, as part of a regular expression. */
export const HEADING_WORDS =
  'chapter|section|part|appendix|annexe?|kapitel|abschnitt|anhang|teil|chapitre|partie|capítulo|apéndice|anexo|capitolo|appendice|глава|раздел|часть|приложение|الفصل|الباب|القسم|الملحق|فصل|بخش|پیوست|פרק|חלק|נספח';

/** A page number has no leading zero and at most four digits; longer numbers, as on an invoice, are identifiers. */
const NUMBER = /(?<![\p{L}\p{N}])(?:[1-9١-٩۱-۹][0-9٠-٩۰-۹]{0,3}|[ivxlc]{1,7})(?![\p{L}\p{N}])/gu;
const OWN_NUMBER = new RegExp(String.raw`^(?:${HEADING_WORDS})\s+\d+`, 'iu');
const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

export function pageLine(text: string, pageNumber: number): PageLine {
  const numbers: number[] = [];
  // The numbers of chapters that begin on each page are not page numbers.
  const [own = ''] = OWN_NUMBER.exec(text) ?? [];
  const words = text.slice(own.length).replaceAll(NUMBER, (number) => {
    numbers.push(pageNumberOf(number));
    return '#';
  });
  return { pageNumber, words: `${own}${words}`, numbers };
}

/** Whether two pages share a line: the numbers in it are equal, or differ by as much as the page numbers. */
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

/** The value of a page number in Latin or Arabic digits, or in small Roman numerals. */
export function pageNumberOf(number: string): number {
  const digits = [...number];
  if (!/\p{N}/u.test(number)) {
    const values = digits.map((digit) => ROMAN[digit] ?? 0);
    return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
  }
  // The low four bits of a digit are its value, in Latin and in Arabic scripts.
  return digits.reduce((value, digit) => value * 10 + ((digit.codePointAt(0) ?? 0) & 15), 0);
}
