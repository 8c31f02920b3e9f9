/** Parsers of human-written values. They return undefined for ambiguous text. */

/** The sign or code of a currency, also at the digits: `USD12`. */
export const CURRENCY = String.raw`(?:(?:US|C|A)?\$|[€£¥₹]|\bRs\.?|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|SEK|NOK|DKK|PLN|SAR|AED|EGP|MXN)(?!\p{L}))`;
/** Credit or debit, behind an amount: what is owed to one is a debt of the other. In India, `Cr` is also ten millions. */
export const SIDE = /^ ?[cd]\.?r(?![\p{L}\d])/iu;
const UNIT = String.raw`(?:%(?: ?p\. ?a\.| per annum)?|[\p{L}²³°/.]{1,12})`;
/** A dash in place of decimals, behind a whole number: `5,-`, `1.200.–`. */
const NO_DECIMALS = new RegExp(
  String.raw`(?<![\d.,'’] ?)(\d{1,3}(?:[.,'’ ]\d{3})+|\d+)[.,][-–—]{1,2}(?= ?${CURRENCY}?$)`,
  'u',
);
/** In India, thousands are followed by hundreds of them. */
const INDIAN = /^[1-9]\d?(?:,\d\d)+,\d{3}(?![\d,])/;
const DIGITS = String.raw`\d[\d.,'’ ]*`;
const NUMBER = new RegExp(
  String.raw`^(\()? ?([-–−+])? ?(?:${CURRENCY})? ?([-–−+])? ?(${DIGITS}|[.,]\d+)((?<=[.,]\d\d)[-−](?= ?(?:${CURRENCY})?$))? ?(?:${CURRENCY}|(?:d['’]|de |of )?${UNIT})? ?(\))?$`,
  'u',
);

/** Longer texts are neither numbers nor dates. */
const LONGEST = 64;

/** A text without surplus white space; empty if it is too long for a value. */
function plainText(text: string): string {
  const plain = text.trim().replaceAll(/\s+/g, ' ');
  return plain.length > LONGEST ? '' : plain;
}

/** Words after a number that multiply it, by the power of ten, in the languages of labels and some more. */
const SCALES: ReadonlyMap<string, number> = new Map(
  (
    [
      [2, 'hundred hundert'],
      [3, 'thousand thousands thsd tausend tsd millier milliers mille тыс тысяч الف k'],
      [4, '万 萬 만'],
      [5, 'lakh lakhs'],
      [6, 'million millions millionen millón millones mio mill mln mn млн مليون mm m'],
      [7, 'crore crores'],
      [8, '億 亿 억'],
      [9, 'billion billions milliarde milliarden milliard milliards mrd mia mld md mds bn млрд مليار b'],
      [12, 'trillion trillions billionen billón billones bio tn 兆'],
      // By how much depends on the language, or it is no power of ten.
      [Number.NaN, 'mil dozen dutzend douzaine docena'],
    ] as const
  ).flatMap(([power, words]) => words.split(' ').map((word) => [word, power] as const)),
);
const MONEY = new RegExp(CURRENCY, 'u');
const CURRENCY_FIRST = new RegExp(`^ ?${CURRENCY}`, 'u');
/** Whether a number has a currency or two decimals. `30 CR` are credits of a course. */
export const isMoney = (number: string): boolean => MONEY.test(number) || /[.,]\d\d\)?$/.test(number);
/** Before a Chinese, Japanese or Korean scale, or instead of one. */
const TENS: ReadonlyMap<string, number> = new Map(
  [...'十百백千천'].map((sign, at) => [sign, [1, 2, 2, 3, 3][at] ?? 0]),
);

/**
 * What multiplies a number, by the text before and after its digits: `1.5 million`, `$2.3M`, `1.2k`, `3 Mio. €`, `5 m€`. A letter alone
 * is a unit, `5 m`, except of money, or in upper case at the digits; so are Chinese units, `5千克`.
 *
 * @returns how much of the text after it is the scale, and the power of ten; NaN if it is unknown
 */
export function scaleOf(before: string, after: string): { length: number; power: number } | undefined {
  const [whole = '', space, written = ''] =
    /^(\s?)([十百백千천]?[万萬만億亿억兆]|[千천](?![克米瓦卡帕赫伏焦升])|[百백](?![分帕분])|\p{L}{1,12})\.?/u.exec(
      after.normalize('NFC'),
    ) ?? [];
  const [, prefix = written] = /^(k|K|T|M|m|Mio|mn|bn)(?:EUR|USD|GBP|CHF)$/.exec(written) ?? [];
  const word = prefix === 'T' ? 'k' : prefix.toLowerCase();
  const tens = TENS.get(word.slice(0, 1));
  const rest = tens === undefined ? SCALES.get(word) : word.length === 1 ? 0 : SCALES.get(word.slice(1));
  const power = rest === undefined ? undefined : rest + (tens ?? 0);
  if (power === undefined) return undefined;
  const isMoney =
    prefix !== written ||
    MONEY.test(before) ||
    new RegExp(String.raw`^\s?${CURRENCY}`, 'u').test(after.slice(whole.length));
  const isUpper = prefix !== word;
  if (word === 'k' && space !== '' && isUpper && !isMoney) return undefined;
  if ((word === 'm' || word === 'b') && !isMoney) {
    if (!isUpper || (word === 'b' && space !== '')) return undefined;
    return { length: whole.length, power: space === '' ? power : Number.NaN };
  }
  return word === 'mm' && !isMoney ? undefined : { length: whole.length, power };
}

/**
 * `1,234.50`, `1.234,50`, `1 234,50`, `₹1,23,456`, `$12`, `5,-`, `(3.00)` and `3.00-` for −3, `12 %`, `1.5 million`. `45.00 CR`
 * is ambiguous.
 *
 * @param hasDecimalCommas whether other numbers of the document have: then 1.200 is 1200
 */
export function readNumber(text: string, hasDecimalCommas = false): number | undefined {
  const written = latinDigits(plainText(text)).replace(NO_DECIMALS, (_, whole: string) =>
    whole.replaceAll(/\D/g, ''),
  );
  const end = /^\D*\d(?:[.,'’ ]?\d)*/u.exec(written)?.[0].length ?? 0;
  // The scale may follow the brackets of a negative number.
  const inner = written.startsWith(')', end) ? end + 1 : end;
  const rest = written.slice(inner);
  const currency = CURRENCY_FIRST.exec(rest)?.[0] ?? '';
  if (SIDE.test(rest.slice(currency.length)) && isMoney(written.slice(0, inner) + currency)) return undefined;
  const scale = scaleOf(written.slice(0, end), rest);
  const plainNumber = written.slice(0, inner) + written.slice(inner + (scale?.length ?? 0));
  const [, open, sign, innerSign, digits, lastSign, close] = NUMBER.exec(plainNumber) ?? [];
  if (digits === undefined || (open === undefined) !== (close === undefined)) return undefined;
  const indian = MONEY.test(written) ? INDIAN.exec(digits)?.[0] : undefined;
  const grouped = indian ? digits.replace(indian, indian.replaceAll(',', '')) : digits;
  const plain = plainDigits(grouped.replaceAll(/['’ ]/g, ''), hasDecimalCommas);
  if (plain === undefined) return undefined;
  const value = Number(scale ? `${plain}e${scale.power}` : plain);
  const negative = open !== undefined || [sign, innerSign, lastSign].some((each) => each && each !== '+');
  return Number.isFinite(value) ? (negative && value !== 0 ? -value : value) : undefined;
}

/** The last of two kinds of separators is the decimal one; a lone comma before three digits separates thousands. */
function plainDigits(text: string, hasDecimalCommas: boolean): string | undefined {
  const digits = text.replace(/[.,]$/, '');
  const [comma, dot] = [digits.lastIndexOf(','), digits.lastIndexOf('.')];
  if (comma >= 0 && dot >= 0) {
    const [decimal, group] = comma > dot ? [',', '.'] : ['.', ','];
    const [whole, part] = splitAtLast(digits, decimal);
    if (part.includes(group) || whole.includes(decimal) || !isGrouped(whole, group)) return undefined;
    return `${whole.replaceAll(group, '')}.${part}`;
  }
  const separator = comma >= 0 ? ',' : '.';
  const count = digits.split(separator).length - 1;
  if (count > 1) return isGrouped(digits, separator) ? digits.replaceAll(separator, '') : undefined;
  if (comma < 0) return hasDecimalCommas && isGrouped(digits, '.') ? digits.replace('.', '') : digits;
  return isGrouped(digits, ',') ? digits.replace(',', '') : digits.replace(',', '.');
}

function isGrouped(digits: string, separator: string): boolean {
  const [first = '', ...rest] = digits.split(separator);
  if (rest.length === 0) return /^\d*$/.test(first);
  return /^[1-9]\d{0,2}$/.test(first) && rest.every((group) => /^\d{3}$/.test(group));
}

function splitAtLast(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** In English, German, French, Spanish and Arabic, without accents. */
const MONTHS = [
  'january januar janner janvier enero يناير',
  'february februar fevrier febrero فبراير',
  'march marz mars marzo مارس',
  'april avril abril ابريل',
  'may mai mayo مايو',
  'june juni juin junio يونيو',
  'july juli juillet julio يوليو',
  'august aout agosto اغسطس',
  'september septembre septiembre setiembre سبتمبر',
  'october oktober octobre octubre اكتوبر',
  'november novembre noviembre نوفمبر',
  'december dezember decembre diciembre ديسمبر',
].map((names) => names.split(' '));
const MONTH = String.raw`(\p{L}{3,10})\.?`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th|er|\.|º)?`;
const ISO_DATE = /^(\d{4})(?:[-/.]|年 ?|년 ?)(\d{1,2})(?:[-/.]|月 ?|월 ?)(\d{1,2})(?:日|일)?(?:[T ].*)?$/;
const DAY_MONTH = new RegExp(
  String.raw`^${DAY}[\s.-]*(?:(?:of|de)\s+)?${MONTH}(?:[\s,-]+|\s+del?\s+)(\d{4}|\d{2})$`,
  'u',
);
const MONTH_DAY = new RegExp(String.raw`^${MONTH}\s+${DAY}\s?,?\s+(\d{4})$`, 'u');
const COMPACT_DATE = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;
/** Japanese eras, and that of Taiwan, by the year before their first. */
const ERAS: ReadonlyMap<string, number> = new Map([
  ['令和', 2018],
  ['平成', 1988],
  ['昭和', 1925],
  ['民國', 1911],
]);
const ERA_DATE = /^(令和|平成|昭和|(?:中華)?民國) ?(\d{1,3}|元)年 ?(\d{1,2})月 ?(\d{1,2})日$/;
const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/;

/** Beside a currency, a share or a unit: other numbers may be dates, times, sections or lists of pages. */
const AMOUNT = new RegExp(
  String.raw`(?:${CURRENCY} ?)(\d[\d.,]{0,20})|(?<![\d.,])(\d[\d.,]{0,20}) ?(?:${CURRENCY}|%|[kcmµ]?[glm](?!\p{L}))`,
  'gu',
);

/** Whether amounts of a text have decimal commas, and none a decimal point or thousands by commas. */
export function hasDecimalCommas(text: string): boolean {
  let found = false;
  for (const [, after, before = ''] of text.matchAll(AMOUNT)) {
    const amount = (after ?? before).replace(/[.,]$/, '');
    if (/^[\d,]+\.\d{1,2}$|,\d{3}/.test(amount)) return false;
    found ||= /^[\d.]+,\d{1,2}$/.test(amount);
  }
  return found;
}

/** What comes first in dates of digits alone, where the document tells. */
export type DateOrder = 'day' | 'month';

/**
 * A date as `YYYY-MM-DD`. `03/04/2026` is ambiguous and yields undefined unless its order is known; with dots the day
 * comes first. Years of two digits are 1970 to 2069.
 */
export function readDate(text: string, order?: DateOrder): string | undefined {
  const plain = latinDigits(plainText(text))
    .replace(/^(?:\p{L}+day,?|\p{L}{3,10},) /u, '')
    .replace(/^(?:den|vom|am|le|the) (?=\d)/i, '')
    .replace(/,? \d{1,2}:\d{2}(?::\d{2})?$/, '');
  const iso = ISO_DATE.exec(plain) ?? COMPACT_DATE.exec(plain);
  if (iso) return day(iso[1], iso[2], iso[3]);
  const [, era = '', count, eraMonth, eraDay] = ERA_DATE.exec(plain) ?? [];
  if (eraDay) return day(String((ERAS.get(era.slice(-2)) ?? 0) + (Number(count) || 1)), eraMonth, eraDay);
  const dayMonth = DAY_MONTH.exec(plain);
  if (dayMonth) return day(dayMonth[3], monthOf(dayMonth[2]), dayMonth[1]);
  const monthDay = MONTH_DAY.exec(plain);
  if (monthDay) return day(monthDay[3], monthOf(monthDay[1]), monthDay[2]);
  const [, first, separator, second, year] = NUMERIC.exec(plain) ?? [];
  const known = separator === '.' ? 'day' : orderOf(first, second);
  if (known === 'day' || (known === undefined && order === 'day')) return day(year, second, first);
  if (known === 'month' || first === second || order === 'month') return day(year, first, second);
  return undefined;
}

/** The order that dates of a text show, `21/11/2026` for instance; undefined if none does, or two disagree. */
export function dateOrderOf(text: string): DateOrder | undefined {
  const orders = new Set<DateOrder>();
  for (const [, first, second] of text.matchAll(
    /(?<![\d/-])(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d{2})(?![\d/-])/g,
  )) {
    const order = orderOf(first, second);
    if (order) orders.add(order);
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

function orderOf(first?: string, second?: string): DateOrder | undefined {
  if (Number(first) > 12) return 'day';
  return Number(second) > 12 ? 'month' : undefined;
}

function monthOf(name = ''): number | undefined {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const fitting = MONTHS.flatMap((names, at) =>
    names.some((month) => month.startsWith(plain)) ? [at + 1] : [],
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function day(year = '', month?: string | number, date?: string | number): string | undefined {
  const y = Number(year) + (year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900);
  const [m, d] = [Number(month), Number(date)];
  const at = new Date(Date.UTC(y, m - 1, d));
  if (Number.isNaN(at.getTime()) || at.getUTCMonth() !== m - 1 || at.getUTCDate() !== d) return undefined;
  return at.toISOString().slice(0, 10);
}

/** Arabic digits and separators as those of Latin texts. */
function latinDigits(text: string): string {
  return text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x0660))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll('،', ',');
}

const YES = new Set(['yes', 'y', 'true', 'on', 'checked', 'x', '✓', '✔', '☑', '☒']);
const NO = new Set(['no', 'n', 'false', 'off', 'unchecked', '☐']);

export function readBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().replace(/[.!]$/, '');
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
