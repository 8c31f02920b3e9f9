import { readDate, readNumber } from '../../../domain/structured-extraction/read-value.ts';
import { UNKNOWN_LANGUAGE, type Vocabulary } from './vocabulary.ts';

/** The key of every negation. */
export const NEGATION = 'not';

/** A word, number or date that counts when two sentences are compared. */
export interface Token {
  /** Equal for notations of one number or date. */
  key: string;
  /** A number or a date. */
  isNumber: boolean;
  /** After `and` or a semicolon. */
  isJoined: boolean;
  /** It turns or bounds what is said, so it is never left out: `not`, `only`, `must`, `<`. */
  isWeighty: boolean;
}

const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    percent: '% percent prozent',
    hour: 'h hr hrs hour hours stunde stunden',
    minute: 'min mins minute minutes minuten',
    second: 's sec secs second seconds sekunde sekunden',
    day: 'd day days tag tage tagen',
    week: 'wk week weeks woche wochen',
    month: 'month months monat monate monaten',
    year: 'yr yrs year years jahr jahre jahren',
    kilogram: 'kg kilogram kilograms kilogramm',
    gram: 'g gram grams gramm',
    millimetre: 'mm millimetre millimetres millimeter millimeters',
    centimetre: 'cm centimetre centimetres centimeter centimeters',
    metre: 'm metre metres meter meters',
    kilometre: 'km kilometre kilometres kilometer kilometers',
    litre: 'l litre litres liter liters',
    volt: 'volt volts',
    watt: 'watt watts',
    euro: '€ eur euro euros',
    dollar: '$ usd dollar dollars',
    pound: '£ gbp',
    celsius: '°c celsius',
    fahrenheit: '°f fahrenheit',
  }).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

/** In their case. */
const SHORT_UNITS: ReadonlyMap<string, string> = new Map([
  ['V', 'volt'],
  ['W', 'watt'],
  ['L', 'litre'],
]);

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  [
    'zero one two three four five six seven eight nine ten eleven twelve',
    'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  ].flatMap((list) => list.split(' ').map((word, value) => [word, value] as const)),
);

/** Marks of Markdown are no symbols. */
const PART =
  /(?<sign>(?<![\p{L}\p{N}.,])[-−])?(?<digits>\p{Nd}+(?:[.,:'’]\p{Nd}+)*)|(?<unit>°\s?[CF]|[%€$£])|(?<symbol>(?![|~^`])[\p{S}‰])|(?<word>\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)*)|(?<joint>;)/gu;
const DATE =
  /(?<!\d)(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?\p{L}{3,10}\.?\s\d{4})(?!\d)|(?<!\p{L})\p{L}{3,10}\.?\s\d{1,2},?\s\d{4}(?!\d)/gu;
const CURRENCIES = new Set(['€', '$', '£']);
const ORDINAL = /^(?:st|nd|rd|th)$/;

/**
 * The tokens of a sentence. Words that may differ are left out; `24 mm` and `24 millimetres`, `3 May 2026` and
 * `2026-05-03`, `three` and `3` are equal.
 */
export function tokensOf(text: string, vocabulary: Vocabulary): Token[] {
  const tokens: Token[] = [];
  let isJoined = false;
  let currency: string | undefined;
  const push = (key: string, more: Partial<Token> = {}): void => {
    tokens.push({ key, isNumber: false, isWeighty: false, isJoined, ...more });
    isJoined = false;
  };
  const pushNumber = (key: string): void => {
    push(key, { isNumber: true });
    if (currency !== undefined) push(currency);
    currency = undefined;
  };
  const pushWord = (word: string): void => {
    const isCounted = tokens.at(-1)?.isNumber === true;
    const counted = NUMBER_WORDS.get(word);
    const unit = isCounted ? (UNITS.get(word) ?? SHORT_UNITS.get(word)) : undefined;
    if (vocabulary.joints.has(word)) isJoined = true;
    else if (unit !== undefined) push(unit);
    else if (vocabulary.negators.has(word)) push(NEGATION, { isWeighty: true });
    else if (vocabulary.bounds.has(word)) push(word, { isWeighty: true });
    else if (counted !== undefined) pushNumber(`#${counted}`);
    else if (!vocabulary.free.has(word) && !(isCounted && ORDINAL.test(word))) push(word);
  };
  const pushParts = (part: string): void => {
    for (const { groups = {} } of part.matchAll(PART)) {
      const { sign = '', digits, unit, word, joint, symbol } = groups;
      if (joint !== undefined) isJoined = vocabulary !== UNKNOWN_LANGUAGE;
      else if (symbol !== undefined) push(symbol, { isWeighty: true });
      else if (digits !== undefined) pushNumber(numberKey(`${sign === '' ? '' : '-'}${digits}`));
      else if (unit !== undefined) {
        const name = UNITS.get(unit.replaceAll(/\s/g, '').toLowerCase()) ?? unit;
        if (CURRENCIES.has(unit) && !tokens.at(-1)?.isNumber) currency = name;
        else push(name);
      } else for (const plain of expand(word ?? '', tokens.length === 0)) pushWord(plain);
    }
  };

  const plain = joined(text);
  let from = 0;
  for (const { 0: found, index } of plain.matchAll(DATE)) {
    const date = readDate(found);
    if (date === undefined) continue;
    pushParts(plain.slice(from, index));
    pushNumber(date);
    from = index + found.length;
  }
  pushParts(plain.slice(from));
  return tokens;
}

/** The words of a sentence without which it says something else, such as `if` and `except`. */
export function reservationsIn(text: string, { reservations }: Vocabulary): string[] {
  const found =
    joined(text)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return [...new Set(found.filter((word) => reservations.has(word)))];
}

/** A text with the words that hyphens part at line ends. */
function joined(text: string): string {
  return (
    text
      // An exponent is no digit of its base.
      .replaceAll(/(?<=\p{Nd})(?=\p{No})/gu, ' ')
      .normalize('NFKC')
      .replaceAll(/(?<=\p{L})[-\u00AD]\n(?=\p{Ll})/gu, '')
      .replaceAll('\u00AD', '')
      .replaceAll(/(?<!\n)\n(?!\n)|[^\S\n]+/g, ' ')
  );
}

/** A leading zero, one at the end of a decimal and `1.500` mean different things in numbers, versions and codes. */
function numberKey(digits: string): string {
  const isCode = /^-?0\d|\.\d*0$|^-?\d{1,3}\.\d{3}$/.test(digits);
  return `#${isCode ? digits : (readNumber(digits) ?? digits)}`;
}

/**
 * `can't` and `cannot` as `can not`; possessives without their ending. `MB` and `Mb`, and a capital letter that is a name,
 * keep their case.
 */
function expand(word: string, isFirst: boolean): string[] {
  const isMixed = /.\p{Lu}/u.test(word) && (word.length === 2 || /\p{Ll}/u.test(word));
  if (isMixed || (!isFirst && /^\p{Lu}$/u.test(word))) return [word];
  const plain = word.toLowerCase().replaceAll('’', "'");
  if (plain === 'cannot' || plain === "can't") return ['can', NEGATION];
  if (plain === "won't") return ['will', NEGATION];
  if (plain.endsWith("n't")) return [plain.slice(0, -3), NEGATION];
  return plain.endsWith("'s") ? [plain.slice(0, -2)] : plain.split("'");
}
