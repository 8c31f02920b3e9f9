/** What programs show of an invitation in the format iCalendar (RFC 5545). */
export interface Invitation {
  fields: [key: string, value: string][];
  description: string;
}

/** Longer than any line that programs write. */
const LONGEST = 100_000;

/** The first appointment of a calendar; undefined without one. */
export function invitationOf(calendar: string): Invitation | undefined {
  const [, event] = unfolded(calendar).split(/^BEGIN:VEVENT$/m, 2);
  // Lines of its alarm are not its own.
  const [own] = event?.split(/^(?:BEGIN|END):/m) ?? [];
  if (own === undefined) return undefined;
  const lines = new Map(own.split('\n').map((line) => [/^[A-Z-]+/.exec(line)?.[0], line]));
  const text = (name: string): string => plain(valueOf(lines.get(name)).value);
  const time = (name: string): string => {
    const { about, value } = valueOf(lines.get(name));
    return timeOf(value, /;TZID="?([^";]+)/.exec(about)?.[1]);
  };
  return {
    fields: [
      ['Location', text('LOCATION')],
      ['Start', time('DTSTART')],
      ['End', time('DTEND')],
    ],
    description: text('DESCRIPTION'),
  };
}

/** Long lines go on after a break and a space. */
const unfolded = (text: string): string =>
  text
    .slice(0, LONGEST)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '');

/** What stands around the first colon of a line that is not in quotes. */
function valueOf(line = ''): { about: string; value: string } {
  const [, about = '', value = ''] = /^((?:[^":]|"[^"]*")*):(.*)$/.exec(line) ?? [];
  return { about, value };
}

const plain = (value: string): string =>
  value.replaceAll(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();

/** As ISO 8601, in its zone if it has another than UTC; empty if there is no such time. */
function timeOf(value: string, zone: string | undefined): string {
  const [, year, month, day, hour, minute, second, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(value.trim()) ?? [];
  const date = `${year}-${month}-${day}`;
  const at = new Date(`${date}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}Z`);
  // The day after the last of a month is the first of the next.
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(date)) return '';
  if (hour === undefined) return date;
  if (utc) return at.toISOString();
  return `${date} ${hour}:${minute}${zone === undefined ? '' : ` (${zone})`}`;
}
