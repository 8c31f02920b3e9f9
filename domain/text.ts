import { MAX_FILENAME_LENGTH } from './limits.ts';

/**
 * Sanitises external text for any database and terminal: no control characters, no NUL, no lone surrogates, and of
 * bounded length.
 */
export function printable(text: string, maxLength = 2000): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** Whether a text contains anything visible rather than only spaces and invisible characters. */
export function isVisible(text: string): boolean {
  return /[^\p{Z}\p{C}]/u.test(text);
}

/** A message for use inside a sentence: without its own full stop. */
export function clause(message: string): string {
  const text = message.trimEnd();
  return text.endsWith('.') ? clause(text.slice(0, -1)) : text;
}

/** Whether text survives storage unchanged: Postgres rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

interface Node {
  value: unknown;
  key: string;
  parent: Node | undefined;
}

/**
 * The path to the first string or number in a JSON value that cannot be stored, or to the value of the first such key;
 * undefined if there is none. Not recursive, since the value may be nested as deeply as its size allows.
 */
export function findUnstorable(root: unknown): string[] | undefined {
  const open: Node[] = [{ value: root, key: '', parent: undefined }];
  for (let node = open.pop(); node; node = open.pop()) {
    const { value } = node;
    if (!isStorable(node.key) || !isStorableScalar(value)) return pathOf(node);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value).toReversed()) {
      open.push({ value: child, key, parent: node });
    }
  }
  return undefined;
}

/** JSON may hold numbers beyond a double's range, such as 1e400; they parse as infinite and would be stored as null. */
function isStorableScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'string' || isStorable(value);
}

function pathOf(node: Node): string[] {
  const path: string[] = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at.key);
  return path;
}

/**
 * Characters that are not seen, and those that change the direction of others. Joiners are kept: words of many languages
 * and composed emoji need them.
 */
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0001}]/gu;
/** Tags that follow no flag. */
const STRAY_TAGS = /(?<![\u{1F3F4}\u{E0020}-\u{E007F}])[\u{E0020}-\u{E007F}]+/gu;
/** Joiners that join nothing. */
const STRAY_JOINERS = /^[\u200C\u200D\s]+|[\u200C\u200D\s]+$|([\u200C\u200D])(?=[\u200C\u200D])/gu;

/**
 * The stored form of a client's file name: the last part of any path, without control and direction-changing
 * characters, in NFC and of bounded length. It is display data only; no path or key is ever built from it.
 */
export function cleanFilename(given: string | undefined): string {
  const base =
    unescapeForm(given ?? '')
      .normalize('NFC')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const clean = base.replace(UNSEEN, '').replace(STRAY_TAGS, '').replace(STRAY_JOINERS, '');
  const bounded = [...clean].slice(0, MAX_FILENAME_LENGTH).join('').replace(STRAY_JOINERS, '');
  return !isVisible(bounded) || bounded === '.' || bounded === '..' ? 'unnamed' : bounded;
}

/** Decodes the bytes of a name: UTF-8, else Windows-1252, which old clients send. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Browsers escape exactly these three characters in file names of forms. */
function unescapeForm(name: string): string {
  return name.replaceAll('%22', '"').replaceAll(/%0d/gi, '\r').replaceAll(/%0a/gi, '\n');
}

/** Standard base64 of whole bytes; padding is optional. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The prefix that browsers add. */
const DATA_URL = /^data:[^,]{0,100};base64,/;

/**
 * Extracts base64 from text that may be a data URL or contain line breaks.
 *
 * @returns undefined for text that is not base64
 */
export function cleanBase64(text: string): string | undefined {
  const bare = text.replace(DATA_URL, '').replaceAll(/[\r\n\t ]+/g, '');
  const digits = bare.replace(/(?<!=)=+$/, '').length;
  const padded = bare.endsWith('=');
  if (!BASE64.test(bare) || digits % 4 === 1 || (padded && bare.length % 4 !== 0)) return undefined;
  return bare;
}

/** The file name at the end of a URL: the last segment of its path, decoded. */
export function filenameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const bytes: number[] = [];
  for (const [part, hex] of last.matchAll(/%([\da-f]{2})|[^]/gi)) {
    bytes.push(hex === undefined ? part.charCodeAt(0) : Number.parseInt(hex, 16));
  }
  return cleanFilename(decodeName(Uint8Array.from(bytes)));
}
