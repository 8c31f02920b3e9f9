/** The one place that decides the encoding of a text: of a file, of a part of an archive, or of a web page. */
import { createRequire } from 'node:module';
import type * as Iconv from 'iconv-lite';
import type * as Jschardet from 'jschardet';
import { decodeJohab } from './johab.ts';

export interface DecodedText {
  text: string;
  /** By the name of the WHATWG, such as `shift_jis`; code pages that browsers do not know are `cp850`. */
  encoding: string;
  /** That the encoding is a guess, or that bytes were invalid. */
  note?: string;
}

/** Loads the detector and further code pages when needed, since they take 100 ms: most texts are UTF-8. */
const require = createRequire(import.meta.url);
/** Enough to detect an encoding. */
const SAMPLE = 64 * 1024;
/** Markup must name its encoding in this many bytes, as browsers require. */
const DECLARED_WITHIN = 1024;
const META = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,100}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;
const HEADER = /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;

/** What the detector looks for, by its names: what browsers read, and the code pages of DOS and of Macs that people still have. */
const CANDIDATES =
  `windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257
  cp1258 cp874 iso8859-2 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-15 koi8-r koi8-u ibm866 cp850 cp852 macroman
  maccyrillic maclatin2 shift_jis cp932 euc-jp iso-2022-jp gb18030 big5 euc-kr cp949`.split(/\s+/);
/** Names that decoders do not share with the detector. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  maclatin2: 'maccenteuro',
};
/** Code pages that browsers read by these names, and the decoders of Node only in part. */
const WHOLE: Readonly<Record<string, string>> = { 'euc-kr': 'cp949', big5: 'big5-hkscs' };
/** Of old e-mails; browsers no longer read it, and a text that does not name it is none. */
const UTF_7 = 'utf-7';
/** Of old Korean programs; neither browsers nor the library know it. */
const JOHAB = 'johab';
/** Where signs of ISO 8859-15 are € and œ, not the ¤ and ½ of Latin-1: beside a digit, and within a word without digits. */
const LATIN_9 = /\d ?\xa4|\xa4 ?\d|(?<=\b[a-z]{1,9})\xbd(?=[a-z])/;
/** What precedes the first character beyond ASCII, in bytes. */
const CONTEXT = 200;
/** Fewer bytes beyond ASCII say nothing of the encoding. */
const FEW = 4;
/** Fewer say it only if another encoding fits the text much better. */
const SOME = 8;
const MUCH_BETTER = 2;

/**
 * Decodes a text: by its byte order mark, as UTF-8 if that is valid, by the encoding that is named, as UTF-8 with invalid bytes
 * if more characters are valid, or else by what its bytes look like. UTF-8 goes before names, since a text of another encoding is
 * hardly ever valid UTF-8, and wrong names are common.
 *
 * @param named encodings, the first that is known counts
 */
export function decodeText(bytes: Uint8Array, named: readonly (string | undefined)[] = []): DecodedText {
  const marked = markOf(bytes) ?? wideOf(bytes);
  if (marked) return decoded(bytes, marked);
  const label = named.map(knownLabel).find((known) => known !== undefined);
  // All of it is ASCII, which is valid UTF-8.
  if (label === UTF_7 && !bytes.some((byte) => byte > 0x7f)) return decoded(bytes, label);
  const isEscaped = bytes.includes(0x1b);
  if (!isEscaped) {
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
    } catch {
      // Not valid throughout.
    }
  }
  if (label !== undefined && label !== 'utf-8' && label !== UTF_7) return decoded(bytes, label);
  const tolerant = decoded(withWholePairs(bytes), 'utf-8');
  if (!isEscaped || tolerant.note !== undefined) {
    const { valid, invalid } = countCharacters(tolerant.text);
    if (valid > invalid) return tolerant;
  }
  const guess = guessEncoding(bytes);
  if (guess === undefined) return tolerant;
  return { ...decoded(bytes, guess), note: `The text does not name its encoding; it was read as ${guess}.` };
}

/** Decodes HTML or XML, which may name its encoding. @param contentType header of a response, which may name it as well */
export function decodeMarkup(bytes: Uint8Array, contentType?: string): DecodedText {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const [header, xml, meta] = [HEADER.exec(contentType ?? ''), XML.exec(head), META.exec(head)];
  // Markup that was readable as ASCII up to its declaration is not UTF-16.
  const declared = [xml?.[1], meta?.[1]].map((label) => (/^utf-?16/i.test(label ?? '') ? undefined : label));
  return decodeText(bytes, [header?.[1], ...declared]);
}

/** Half of a pair of UTF-16 as databases and Java write it into UTF-8 (CESU-8): ED A0–BF and one more byte. */
const PAIRS = /\xed([\xa0-\xaf])([\x80-\xbf])\xed([\xb0-\xbf])([\x80-\xbf])/g;

/** UTF-8 without such pairs. */
function withWholePairs(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0xed)) return bytes;
  const text = Buffer.from(bytes).toString('latin1');
  const half = (high = '', low = ''): number =>
    0xd000 | ((high.charCodeAt(0) & 63) << 6) | (low.charCodeAt(0) & 63);
  const whole = text.replaceAll(PAIRS, (_, ...[a, b, c, d]: string[]) =>
    Buffer.from(String.fromCharCode(half(a, b), half(c, d))).toString('latin1'),
  );
  return Buffer.from(whole, 'latin1');
}

/** A part of a text whose encoding is certain, such as that of its font. */
export const decodePart = (bytes: Uint8Array, label: string): string => decoded(bytes, label).text;

function markOf([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32be' : undefined;
}

/** UTF-16 without a mark: most characters of most scripts have a NUL, or the same byte, as their upper half. */
function wideOf(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  const [even = 0, odd = 0] = [0, 1].map((start) => {
    let zeros = 0;
    for (let at = start; at < sample.length; at += 2) if (sample[at] === 0) zeros += 1;
    return zeros / Math.max(1, sample.length / 2);
  });
  if (odd > 0.4 && even < 0.1) return 'utf-16le';
  return even > 0.4 && odd < 0.1 ? 'utf-16be' : undefined;
}

function decoded(bytes: Uint8Array, label: string): DecodedText {
  const encoding = browserLabel(label);
  const further = encoding === undefined ? label : WHOLE[encoding];
  const text =
    further === undefined
      ? new TextDecoder(encoding).decode(bytes)
      : further === JOHAB
        ? decodeJohab(bytes)
        : furtherPages().decode(bytes, further);
  const { invalid } = countCharacters(text);
  return {
    text,
    encoding: encoding ?? label,
    ...(invalid > 0 && {
      note: `Bytes that are not valid ${encoding ?? label} are shown as \uFFFD: ${invalid}.`,
    }),
  };
}

const furtherPages = (): typeof Iconv => require('iconv-lite') as typeof Iconv;

function knownLabel(label: string | undefined): string | undefined {
  if (label === undefined || label === JOHAB) return label;
  if (/^(?:x-)?(?:unicode-[12]-[01]-)?utf-?7$/i.test(label)) return UTF_7;
  // Others that the library knows are no encodings of texts, such as base64.
  const isPage = /^(?:cp|ibm|mac)\w+$/i.test(label);
  return (
    browserLabel(label) ?? (isPage && furtherPages().encodingExists(label) ? label.toLowerCase() : undefined)
  );
}

function browserLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The characters beyond ASCII, and those that stand for invalid bytes. */
function countCharacters(text: string): { valid: number; invalid: number } {
  let [valid, invalid] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) invalid += 1;
    else if (code > 0x7f) valid += 1;
  }
  return { valid, invalid };
}

/**
 * The encoding that the bytes look like, from where they leave ASCII. A few bytes look like many; then it is Windows-1252, a
 * superset of Latin-1, as most texts of languages with few letters beyond ASCII are.
 */
function guessEncoding(bytes: Uint8Array): string | undefined {
  const first = bytes.findIndex((byte) => byte > 0x7f || byte === 0x1b);
  // Of long texts in ASCII, what is next to other characters says most.
  const near = Buffer.from(bytes.subarray(Math.max(0, first - CONTEXT), first + SAMPLE))
    .toString('latin1')
    .replaceAll(/([\0-\x7f]{24})[\0-\x7f]{16,}(?=[\0-\x7f]{24})/g, '$1');
  const sample = Buffer.from(near, 'latin1');
  const { chardet } = require('jschardet') as typeof Jschardet;
  const all = chardet
    .detectAll(sample, { includeEncodings: CANDIDATES, ignoreThreshold: true })
    .flatMap(({ encoding, confidence }) =>
      encoding === null ? [] : [{ name: encoding.toLowerCase(), confidence }],
    );
  const isMac = ({ name }: { name: string }): boolean => name.startsWith('mac');
  const [mac, other] = [all.find(isMac), all.find((each) => !isMac(each))];
  const lettersAs = ({ name }: { name: string }): number =>
    lettersInWords(decoded(sample, ALIASES[name] ?? name).text);
  // Macs ended lines with a return alone as long as they had encodings of their own.
  const more =
    mac && other && bytes.includes(0x0d)
      ? lettersAs(mac) - Math.max(lettersAs(other), lettersAs({ name: 'windows-1252' }))
      : 0;
  const isOfMac = more > 0 && !bytes.includes(0x0a);
  const found = all.filter((each) => (isMac(each) ? more >= 0 : !isOfMac));
  const [best] = found;
  if (!best) return first >= 0 && (bytes[first] ?? 0) > 0x7f ? 'windows-1252' : undefined;
  const western = found.find(({ name }) => name === 'windows-1252')?.confidence ?? 0;
  const high = near.replaceAll(/[^\x80-\xff]+/g, ' ');
  // Letters follow each other in scripts other than Latin; a row of dashes or bullets is no word.
  const hasWords = /[\x80-\xff]{4}/.test(high.replaceAll(/(.)\1+/g, '$1'));
  const letters = high.replaceAll(' ', '').length;
  const isSure =
    hasWords ||
    western === 0 ||
    (letters >= FEW && best.confidence >= western * (letters < SOME ? MUCH_BETTER : 1));
  const guess = isSure ? (ALIASES[best.name] ?? best.name) : 'windows-1252';
  if (guess === 'windows-1252' && LATIN_9.test(near) && !/[\x80-\x9f]/.test(near)) return 'iso-8859-15';
  return (guess === 'gb18030' || guess === 'euc-kr') && isJapanese(sample) ? 'euc-jp' : guess;
}

/** How many letters beyond ASCII are where words have them: small ones within, capitals at the beginning. */
const lettersInWords = (text: string): number =>
  text.match(/(?<=\p{L})(?![a-z])\p{Ll}|(?<!\p{L})(?![A-Z])\p{Lu}(?=\p{Ll})/gu)?.length ?? 0;

/** Whether there are syllables where EUC-JP has them; Chinese and Korean texts have rare signs there. */
function isJapanese(sample: Uint8Array): boolean {
  const text = new TextDecoder('euc-jp').decode(sample);
  const syllables = text.match(/[\u3041-\u30FA]/g)?.length ?? 0;
  return syllables > countCharacters(text).valid / 10;
}
