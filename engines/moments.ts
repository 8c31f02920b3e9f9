/** Dates outside this range come from clocks that were never set, or are impossible. */
const [FIRST_YEAR, LAST_YEAR] = [1800, 2200];

const DATE = /^\s*(\d{4})([-:/.]?)(\d{2})\2(\d{2})(?!\d)/;
const TIME = /^[T\s]\s*(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d{1,9})?)?/;
/** As in e-mail, which PNG recommends: `Thu, 4 Jul 2024 12:00:00 +0200`. */
const IN_WORDS = /^\s*(?:[a-z]{3}, )?(\d{1,2}) ([a-z]{3}) (\d{4}) (?=\d)/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** `+02:00`, `+0200`, `+2`, `Z` or `UTC`. */
const ZONE = /^\s*(?:(Z|UTC|GMT)|([+\-−])(\d{1,2})(?::?(\d{2}))?)\s*$/i;

/** A date as text, and the zone that is written beside it. */
export interface WrittenDate {
  text: string | undefined;
  zone?: string | undefined;
}

/**
 * The first possible moment of several written dates, best first, in ISO 8601; one with a time of day is preferred. A zone may be
 * in the text or beside it; without one, the time counts as UTC.
 */
export function firstMoment(dates: readonly WrittenDate[]): string | undefined {
  const moments = dates.map(readMoment).filter((moment) => moment !== undefined);
  return (moments.find(({ hasTime }) => hasTime) ?? moments[0])?.at;
}

function readMoment({ text = '', zone = '' }: WrittenDate): { at: string; hasTime: boolean } | undefined {
  const [words, dayOfMonth, name = '', ofYear] = IN_WORDS.exec(text) ?? [];
  if (words !== undefined) {
    const number = MONTHS.indexOf(name.toLowerCase()) + 1;
    const [mm, dd] = [number, dayOfMonth].map((part) => String(part).padStart(2, '0'));
    return readMoment({ text: `${ofYear}-${mm}-${dd} ${text.slice(words.length)}`, zone });
  }
  const [day, year, , month, date] = DATE.exec(text) ?? [];
  if (day === undefined) return undefined;
  const rest = text.slice(day.length);
  const [time, hours = '0', minutes = '0', seconds = '0'] = TIME.exec(rest) ?? [];
  const parts = [year, month, date, hours, minutes, seconds].map(Number);
  const [y = 0, m = 0, d = 0, hour = 0, minute = 0, second = 0] = parts;
  const local = new Date(Date.UTC(y, m - 1, d, hour, minute, second));
  // A part out of its range would become another date.
  const isPossible = local.getUTCMonth() === m - 1 && local.getUTCDate() === d && minute < 60 && second < 60;
  const offset = offsetOf(rest.slice(time?.length ?? 0)) ?? offsetOf(zone) ?? 0;
  const moment = new Date(local.getTime() - offset * 60_000);
  if (!isPossible || y < FIRST_YEAR || y > LAST_YEAR) return undefined;
  return { at: moment.toISOString(), hasTime: time !== undefined };
}

/** In minutes; undefined for anything but a zone. */
function offsetOf(text: string): number | undefined {
  const [found, utc, sign, hours = '0', minutes = '0'] = ZONE.exec(text.replaceAll('\0', ' ')) ?? [];
  if (found === undefined) return undefined;
  if (utc) return 0;
  const offset = Number(hours) * 60 + Number(minutes);
  if (offset > 14 * 60) return undefined;
  return sign === '+' ? offset : -offset;
}
