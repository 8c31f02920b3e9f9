import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUE, LOCALE } from './language.ts';

type Values = Record<string, string | number>;
/** The same texts in another language. */
type Translated<T> = T extends string
  ? string
  : T extends (...values: never[]) => string
    ? T
    : { readonly [Key in keyof T]: Translated<T[Key]> };

const formats = new Map<string, IntlMessageFormat>();

/**
 * A text with values, in the language of the page.
 *
 * @param english an ICU message, such as `Delete {count, plural, one {# file} other {# files}}?`
 */
export function t(english: string, values: Values): string {
  let format = formats.get(english);
  if (!format) {
    format = new IntlMessageFormat(CATALOGUE[english] ?? english, LOCALE, undefined, { ignoreTag: true });
    formats.set(english, format);
  }
  return String(format.format(values));
}

/** Texts in the language of the page. Functions among them translate themselves, by {@link t}. */
export function translated<T>(texts: T): Translated<T> {
  return translate(texts) as Translated<T>;
}

/**
 * A sentence of the API out of a closed set, such as the title of a step, in the language of the page. Others are shown as
 * they are.
 */
export const fromApi = (english: string): string => CATALOGUE[english] ?? english;

function translate(texts: unknown): unknown {
  if (typeof texts === 'string') return CATALOGUE[texts] ?? texts;
  if (Array.isArray(texts)) return texts.map(translate);
  if (typeof texts !== 'object' || texts === null) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, translate(value)]));
}
