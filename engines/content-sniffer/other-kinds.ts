/** What would have no type, or that of its container alone: messages, and what is not accepted, for answers that name it. */

const COMPOUND = 'application/x-cfb';
/** Kinds of compound files by the name of a stream in them. */
const STREAMS: readonly [string, string][] = [
  ['__properties_version1.0', 'application/vnd.ms-outlook'],
  ['__nameid_version1.0', 'application/vnd.ms-outlook'],
  ['WordDocument', 'application/msword'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['VisioDocument', 'application/vnd.visio'],
];
const COMPOUND_NAMES: Readonly<Record<string, string>> = {
  msg: 'application/vnd.ms-outlook',
  oft: 'application/vnd.ms-outlook',
  doc: 'application/msword',
  dot: 'application/msword',
  xls: 'application/vnd.ms-excel',
  xlt: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  pps: 'application/vnd.ms-powerpoint',
  vsd: 'application/vnd.visio',
};

/** The first line of an e-mail, and lines that each has. */
const FIELD = /^[A-Za-z][\w-]{1,60}: /;
const MAIL_FIELD = /^(?:From|Received|Return-Path|Date|Subject): /im;

/**
 * The kind of a file that its signature does not tell.
 *
 * @param found by its signature
 * @param text its leading bytes
 */
export function otherKind(
  found: string | undefined,
  head: Uint8Array,
  text: string,
  extension = '',
): string | undefined {
  if (found === COMPOUND) {
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
    const [, kind] = STREAMS.find(([name]) => bytes.includes(name, 0, 'utf16le')) ?? [];
    return kind ?? COMPOUND_NAMES[extension] ?? COMPOUND;
  }
  if (found !== undefined && found !== 'application/xml') return found;
  if (rootElement(text) === 'svg') return 'image/svg+xml';
  if (FIELD.test(text) && MAIL_FIELD.test(text) && (extension === 'eml' || /^Message-ID:/im.test(text)))
    return 'message/rfc822';
  if (/^BEGIN:VCALENDAR/i.test(text)) return 'text/calendar';
  if (/^BEGIN:VCARD/i.test(text)) return 'text/vcard';
  if (extension === 'json' && /^\s*[[{]/.test(text)) return 'application/json';
  return found;
}

/** The name of the first element of markup, without its prefix. */
function rootElement(text: string): string | undefined {
  let at = text.search(/\S/);
  while (text[at] === '<' && ['?', '!'].includes(text[at + 1] ?? '')) {
    const end = text.startsWith('<!--', at) ? text.indexOf('-->', at) : endOfDeclaration(text, at);
    if (end < 0) return undefined;
    const rest = text.indexOf('>', end);
    at = rest + 1 + text.slice(rest + 1).search(/\S|$/);
  }
  return /^<(?:\w{1,20}:)?(\w{1,20})/.exec(text.slice(at))?.[1]?.toLowerCase();
}

/** A document type may have declarations in brackets. */
function endOfDeclaration(text: string, at: number): number {
  const end = text.indexOf('>', at);
  const bracket = text.indexOf('[', at);
  return bracket >= 0 && bracket < end ? text.indexOf(']', bracket) : end;
}
