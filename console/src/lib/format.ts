import { LOCALE } from './language.ts';

/** The only place that makes formats of numbers, sizes, times and durations. */

/** Keeps what is expensive to make, such as a format, until the page is closed. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const number = once(() => new Intl.NumberFormat(LOCALE));
const dateTime = once(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' }));
const date = once(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' }));
const relative = once(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' }));

const percent = once(() => new Intl.NumberFormat(LOCALE, { style: 'percent' }));
const time = once(() => new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' }));
const seconds = once(
  () =>
    new Intl.NumberFormat(LOCALE, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'narrow',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
);
const milliseconds = once(
  () => new Intl.NumberFormat(LOCALE, { style: 'unit', unit: 'millisecond', unitDisplay: 'narrow' }),
);
const languages = once(() => new Intl.DisplayNames(LOCALE, { type: 'language' }));
const ticks = {
  hour: once(() => new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', hour: 'numeric' })),
  day: once(() => new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })),
  month: once(() => new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric' })),
};

export const formatNumber = (value: number): string => number().format(value);

/** @param value an ISO instant; null is a dash */
export const formatDateTime = (value: string | null): string =>
  value === null ? '–' : dateTime().format(new Date(value));

export const formatDate = (value: string | null): string =>
  value === null ? '–' : date().format(new Date(value));

/** `87%`, of 0–1 */
export const formatPercent = (value: number): string => percent().format(value);

/** The time of day, with seconds. */
export const formatTime = (at: number): string => time().format(at);

/** The name of a language by its code; the code itself for what is none. */
export function formatLanguage(code: string): string {
  try {
    return languages().of(code) ?? code;
  } catch {
    return code;
  }
}

/** A mark on an axis of time. */
export const formatTick = (milliseconds: number, unit: keyof typeof ticks): string =>
  ticks[unit]().format(milliseconds);

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map((unit) =>
  [0, 1].map((digits) =>
    once(
      () =>
        new Intl.NumberFormat(LOCALE, {
          style: 'unit',
          unit,
          unitDisplay: 'short',
          maximumFractionDigits: digits,
        }),
    ),
  ),
);

/** `2.4 MB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  const digits = value < 10 && power > 0 ? 1 : 0;
  return SIZES[power]?.[digits]?.().format(value) ?? '';
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 minutes ago` */
export function formatAgo(value: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative().format(Math.round(seconds / length), unit);
  }
  return relative().format(Math.round(seconds), 'second');
}

/** `0.8s` */
export const formatSeconds = (value: number): string => seconds().format(value);

/** `120ms` */
export const formatMilliseconds = (value: number): string => milliseconds().format(value);

/** `1:04:09`, `3:07` or `0.8s`, of seconds */
export function formatDuration(length: number): string {
  if (length < 10) return formatSeconds(length);
  const whole = Math.round(length);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
