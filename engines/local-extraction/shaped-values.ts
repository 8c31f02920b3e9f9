import {
  CURRENCY as MONEY,
  type DateOrder,
  isMoney,
  readDate,
  readNumber,
  scaleOf,
  SIDE,
} from '../../domain/structured-extraction/read-value.ts';
import type { Shape } from './meanings.ts';

/** A value in a text, as written, and where it stands. */
export interface Shaped {
  text: string;
  start: number;
  end: number;
}

const AMOUNT = new RegExp(
  String.raw`(?:${MONEY} ?)?[-–−]?(?:${MONEY} ?)?(?<![\p{L}\d.,/-])[\d٠-٩][\d٠-٩.,'’٫٬]{0,24}(?:[ \u00A0]\d{3}(?!\d)){0,4}(?:[.,]\d{1,2}(?!\d)|(?<=[.,])[-–—]{1,2}(?![\p{L}\d]))?(?: ?${MONEY})?`,
  'gu',
);
const CURRENCY = new RegExp(MONEY, 'u');
const CURRENCY_NEXT = new RegExp(String.raw`^ ?${MONEY}`, 'u');
const SIDE_BEFORE = /(?<![\p{L}\d])[CD]R ?$/u;
const MONTH_NAME = String.raw`\p{L}{3,10}`;
const YEAR_FIRST = String.raw`(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)`;
const DIGITS_ALONE = String.raw`(?<![\d./-])\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/])`;
const DAY_FIRST = String.raw`(?<!\d)[\d٠-٩]{1,2}(?:st|nd|rd|th|er|\.|º)?[ -]?(?:(?:of|de) )?${MONTH_NAME}\.?,?(?: |-| del? )[\d٠-٩]{4}`;
const MONTH_FIRST = String.raw`(?<!\p{L})${MONTH_NAME}\.? \d{1,2}(?:st|nd|rd|th)? ?,? \d{4}`;
const DATE = new RegExp(String.raw`${YEAR_FIRST}|${DIGITS_ALONE}|${DAY_FIRST}|${MONTH_FIRST}`, 'gu');
const CODE = /(?<![\p{L}\p{N}])[\p{L}\p{N}][\p{L}\p{N}/_.-]{0,39}/gu;
const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])/g;
/** The forms of the member states, of Switzerland, Norway, Britain and India. */
const VAT_ID =
  /(?<![A-Z0-9])(?:(?:AT ?U|BE ?[01]|BG|CY|CZ|DE|DK|EE|EL|FI|GB|HR|HU|IT|LT|LU|LV|MT|PL|PT|RO|SE|SI|SK)(?: ?\d){7,12}[A-Z]?|ES ?[A-Z0-9] ?(?:\d ?){7}[A-Z0-9]|FR ?[A-Z0-9]{2}(?: ?\d){9}|NL(?: ?\d){9} ?B ?\d\d|IE ?\d[A-Z0-9]\d{5}[A-Z]{1,2}|CHE-?\d{3}\.?\d{3}\.?\d{3}|\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]{3})(?![A-Z0-9])/g;
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/gu;

/** The values of a shape in a text, in order; names and other free text have none. */
export function shapedValues(text: string, shape: Shape, order?: DateOrder): Shaped[] {
  switch (shape) {
    case 'date':
      return dates(text).filter((found) => readDate(found.text, order) !== undefined);
    case 'amount':
      return amounts(text);
    case 'code':
      return matches(masked(text, dates(text)), CODE).flatMap(({ text: code, start }) => {
        const plain = code.replace(/(?<![./_-])[./_-]+$/, '');
        return /\d/.test(plain) && plain.length > 1
          ? [{ text: plain, start, end: start + plain.length }]
          : [];
      });
    case 'iban':
      return compact(matches(text, IBAN)).filter((found) => isIban(found.text));
    case 'vat_id':
      return compact(matches(text, VAT_ID));
    case 'email':
      return matches(text, EMAIL);
    default:
      return [];
  }
}

/** The amounts of a text; shares and parts of dates are none, and neither is `1 278.61`, which may be two numbers. */
function amounts(text: string): Shaped[] {
  const plain = masked(text, dates(text));
  return matches(plain, AMOUNT).flatMap(({ text: written, start: first, end: last }) => {
    // Brackets with a scale behind them are a sign; others may be those of a remark.
    const isBracketed =
      plain[first - 1] === '(' && plain[last] === ')' && scaleOf(written, plain.slice(last + 1));
    const [start, end] = isBracketed ? [first - 1, last + 1] : [first, last];
    const scale = scaleOf(written, plain.slice(end));
    const scaled = end + (scale?.length ?? 0);
    const currency = scale ? (CURRENCY_NEXT.exec(plain.slice(scaled))?.[0] ?? '') : '';
    const rest = plain.slice(scaled + currency.length);
    const isSided = SIDE.test(rest) || SIDE_BEFORE.test(plain.slice(0, start));
    if (/^(?: ?%|[\p{L}\d])/u.test(rest) || (isSided && isMoney(written + currency))) return [];
    // Without a currency, a dash within the text is one of the sentence.
    const isPrice = CURRENCY.test(written) || last === plain.length;
    const value = plain
      .slice(start, scaled + currency.length)
      .trim()
      .replace(isPrice ? /[.,'’]$/ : /[.,'’][-–—]{0,2}$/, '');
    if (/\d \d{3}\.\d/.test(value) || readNumber(value) === undefined) return [];
    return [{ text: value, start, end: start + value.length }];
  });
}

/** Dates and what looks like one. */
function dates(text: string): Shaped[] {
  return matches(text, DATE);
}

function masked(text: string, parts: readonly Shaped[]): string {
  return parts.reduce(
    (plain, { start, end }) => plain.slice(0, start) + '~'.repeat(end - start) + plain.slice(end),
    text,
  );
}

function matches(text: string, pattern: RegExp): Shaped[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    text: found,
    start: index,
    end: index + found.length,
  }));
}

function compact(found: readonly Shaped[]): Shaped[] {
  return found.map((one) => ({ ...one, text: one.text.replaceAll(' ', '') }));
}

/** ISO 13616: the remainder by 97 of the digits, letters counted from 10, is 1. */
function isIban(text: string): boolean {
  const digits = [...text.slice(4), ...text.slice(0, 4)].map((each) => Number.parseInt(each, 36)).join('');
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}

const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/€|\bEUR\b|\bEuros?\b/, 'EUR'],
  [/£|\bGBP\b/, 'GBP'],
  [/₹|\bINR\b|\bRs\.? ?\d/, 'INR'],
  [/\bCHF\b/, 'CHF'],
  [/\bUS\$|\bUSD\b|\bUS Dollars?\b/, 'USD'],
  [/\bC\$|\bCAD\b/, 'CAD'],
  [/\bA\$|\bAUD\b/, 'AUD'],
  [/¥|\bJPY\b/, 'JPY'],
  [/\bSEK\b/, 'SEK'],
  [/\bNOK\b/, 'NOK'],
  [/\bDKK\b/, 'DKK'],
  [/\bPLN\b|\bzł/, 'PLN'],
  [/\bSAR\b|ر\.س|ريال سعودي/, 'SAR'],
  [/\bAED\b|درهم إماراتي/, 'AED'],
  [/\bEGP\b|جنيه مصري/, 'EGP'],
  [/\bMXN\b/, 'MXN'],
];

/** ISO 4217 codes of the currencies that a text names; a dollar without a country is that of the United States. */
export function currenciesIn(text: string): string[] {
  const named = CURRENCIES.flatMap(([pattern, code]) => (pattern.test(text) ? [code] : []));
  const ofDollars = named.some((code) => ['USD', 'CAD', 'AUD', 'MXN'].includes(code));
  return !ofDollars && /\$ ?\d|\d ?\$/.test(text) ? [...named, 'USD'] : named;
}
