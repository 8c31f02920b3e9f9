import { dateFromSerial, format, getFormatDateInfo, getFormatInfo } from 'numfmt';
import { childAt, childrenOf, type MarkupElement } from '../markup/parse-markup.ts';

/** The text of a stored number, or text. @param style index of the cell's style */
export type ShowNumber = (value: string, style: number) => string;

/** The longest pattern that Excel allows. */
const LONGEST = 255;
/** What a pattern writes around a text at most. */
const MOST_AROUND = 100;
const GENERAL = 'General';
/** A date, or a time for less than a day. */
const EITHER = 'date or time';
const DATE = 'yyyy/m/d';
const THOUSANDS = ['#,##0;(#,##0)', '#,##0.00;(#,##0.00)'] as const;
const ACCOUNTING = ['#,##0;(#,##0);"-"', '#,##0.00;(#,##0.00);"-"'] as const;
/** Patterns that each language of the program has in another form, by their first number: the parts of a date are the same. */
const LOCAL: readonly (readonly [first: number, patterns: readonly string[]])[] = [
  // Amounts of money, without the sign of the currency, which only the program knows.
  [5, [THOUSANDS[0], THOUSANDS[0], THOUSANDS[1], THOUSANDS[1]]],
  // Chinese, Japanese and Korean; some are a time in one of them and a date in another, by the value.
  [27, [DATE, DATE, DATE, DATE, DATE, 'h:mm', 'h:mm:ss', EITHER, EITHER, DATE]],
  [41, [ACCOUNTING[0], ACCOUNTING[0], ACCOUNTING[1], ACCOUNTING[1]]],
  [50, [DATE, DATE, DATE, DATE, DATE, EITHER, EITHER, DATE, DATE]],
  // Thai.
  [59, ['0', '0.00', '#,##0', '#,##0.00', THOUSANDS[0], THOUSANDS[0], THOUSANDS[1], THOUSANDS[1]]],
  [67, ['0%', '0.00%', '# ?/?', '# ??/??', DATE, DATE, DATE, DATE, 'h:mm', 'h:mm:ss', 'yyyy/m/d h:mm']],
  [78, ['mm:ss', '[h]:mm:ss', 'mm:ss.0', DATE]],
];
/** Patterns that a workbook names by their number alone. */
const BUILT_IN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LOCAL.flatMap(([first, patterns]) => patterns.map((each, at) => [first + at, each]))),
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
};
/** Days between the two epochs of dates. */
const FROM_1904 = 1_462;
const DAY_SECONDS = 86_400;
/** 9999-12-31 */
const LAST_DAY = 2_958_466;

/** The pattern of each style of cells. */
function patternsOf(styles: MarkupElement | undefined): string[] {
  const sheet = childAt(styles, 'styleSheet');
  const own = new Map(
    childrenOf(childAt(sheet, 'numFmts'), 'numFmt').map(({ attributes }) => [
      attributes['numFmtId'],
      attributes['formatCode'],
    ]),
  );
  return childrenOf(childAt(sheet, 'cellXfs'), 'xf').map(
    ({ attributes: { numFmtId: id = '0' } }) => own.get(id) ?? BUILT_IN[id] ?? GENERAL,
  );
}

/** Shows texts as their cells do: `"No. "@` writes something around them. */
export function textFormats(styles: MarkupElement | undefined): ShowNumber {
  const formatted = (pattern: string, text: string): string => {
    try {
      const whole = format(pattern, text).trim();
      return whole.length > text.length + MOST_AROUND ? text : whole;
    } catch {
      return text;
    }
  };
  // Most patterns with a place for text merely indent it. With several places, texts become many times as long.
  const writing = patternsOf(styles).map((pattern) =>
    pattern.split('@').length === 2 && pattern.length <= LONGEST && formatted(pattern, 'x') !== 'x'
      ? pattern
      : undefined,
  );
  return (text, style) => {
    const pattern = writing[style];
    return pattern === undefined || text === '' ? text : formatted(pattern, text);
  };
}

/** Shows numbers as their cells do: currencies, percentages, decimals. Dates and times are shown as ISO 8601. */
export function numberFormats(styles: MarkupElement | undefined, is1904: boolean): ShowNumber {
  const shows = patternsOf(styles).map((pattern) => showBy(pattern, is1904));
  const general = showBy(GENERAL, is1904);
  return (value, style) => {
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    return (shows[style] ?? general)(number);
  };
}

/** Shows numbers by a pattern, as `numberFormats` does. */
export function showBy(pattern: string, is1904: boolean): (value: number) => string {
  // As Excel stores 15 digits: 0.1 + 0.2 is 0.3.
  const plain = (value: number): string => String(Number(value.toPrecision(15)));
  if (pattern === GENERAL || pattern.length > LONGEST) return plain;
  const formatted = (value: number): string => {
    try {
      return format(pattern, value).trim() || plain(value);
    } catch {
      return plain(value);
    }
  };
  if (pattern === EITHER) {
    const [time, date] = ['h:mm', DATE].map((each) => showBy(each, is1904));
    return (value) => ((value < 1 ? time : date) ?? plain)(value);
  }
  try {
    const { isDate } = getFormatInfo(pattern);
    if (!isDate) return formatted;
    const shown = getFormatDateInfo(pattern);
    // The library takes the minutes of mm:ss for a month.
    const hasDay = shown.year || shown.day || (shown.month && !shown.minutes && !shown.seconds);
    const hasTime = shown.hours || shown.minutes || shown.seconds;
    // Hours that may pass a day, as in [h]:mm, are no time of day, and neither are minutes alone.
    const isSpan = /\[[hms]+\]/i.test(pattern) || (!hasDay && !shown.hours);
    const digits = /s\.(0{1,3})/i.exec(pattern)?.[1]?.length ?? 0;
    return (value) => {
      if (isSpan || value < 0 || value >= LAST_DAY) return formatted(value);
      return isoOf(value + (is1904 && hasDay ? FROM_1904 : 0), hasDay, hasTime, digits);
    };
  } catch {
    // Not a pattern.
    return plain;
  }
}

/** A serial day with its fraction, as date, time or both. @param digits of a second */
function isoOf(serial: number, hasDay: boolean, hasTime: boolean, digits: number): string {
  const parts = Math.round(serial * DAY_SECONDS * 10 ** digits);
  const seconds = Math.floor(parts / 10 ** digits);
  const part = String(parts % 10 ** digits).padStart(digits, '0');
  const [year = 0, month = 0, day = 0] = dateFromSerial(Math.floor(seconds / DAY_SECONDS)) ?? [];
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const rest = seconds % DAY_SECONDS;
  const time = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}`;
  const whole = rest % 60 === 0 && Number(part) === 0 ? time : `${time}:${two(rest % 60)}`;
  const exact = Number(part) === 0 ? whole : `${whole}.${part}`;
  return [...(hasDay ? [date] : []), ...(hasTime ? [exact] : [])].join(' ');
}

const two = (value: number): string => String(value).padStart(2, '0');
