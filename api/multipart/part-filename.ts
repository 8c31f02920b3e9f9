import { decodeName } from '../../domain/text.ts';

/** A parameter of a header: `; name=value` or `; name="value"`, in which a backslash escapes a quote. */
const PARAMETER = /;\s*([\w*'-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([^;\s"]*))/g;
/** A part of a name in a header of e-mail: `=?utf-8?B?Zm9v?=`. */
const ENCODED_WORD = /=\?([\w-]{1,40})\?([BQ])\?([^? ]*)\?=\s*/gi;

/**
 * The file name of a part of a form, as the clients in use send it: `filename*` (RFC 5987) before `filename`, wherever
 * it stands; encoded words of e-mail; bytes in UTF-8, else in Windows-1252.
 *
 * @param disposition the value of Content-Disposition, one character for each byte
 * @returns undefined if there is none
 */
export function partFilename(disposition: string): string | undefined {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain);
  }
  const extended = /^([\w-]{1,40})'[\w-]*'(.*)$/.exec(parameters.get('filename*') ?? '');
  const name = extended && decodeAs(extended[1] ?? '', percentDecoded(extended[2] ?? ''));
  if (name) return name;
  const plain = parameters.get('filename');
  return plain === undefined ? undefined : (decodedWords(plain) ?? decodeName(bytesOf(plain)));
}

function bytesOf(binary: string): Uint8Array {
  return Buffer.from(binary, 'latin1');
}

function percentDecoded(text: string): Uint8Array {
  return bytesOf(
    text.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

/** Undefined for an unknown encoding, and for bytes that are not of it. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined unless the whole name is encoded words. */
function decodedWords(name: string): string | undefined {
  if (name.replaceAll(ENCODED_WORD, '') !== '' || name === '') return undefined;
  const words = [...name.matchAll(ENCODED_WORD)].map(([, encoding = '', kind = '', text = '']) => {
    const isBase64 = kind.toUpperCase() === 'B';
    const quoted = text.replaceAll('_', ' ').replaceAll(/=(?=[\da-f]{2})/gi, '%');
    return decodeAs(encoding, isBase64 ? Buffer.from(text, 'base64') : percentDecoded(quoted));
  });
  return words.includes(undefined) ? undefined : words.join('');
}

/** The same header with a file name that every parser reads alike. */
export function withPlainFilename(disposition: string): string {
  const filename = partFilename(disposition);
  if (filename === undefined) return disposition;
  const others = disposition.replaceAll(PARAMETER, (parameter, name: string) =>
    /^filename\*?$/i.test(name) ? '' : parameter,
  );
  const safe = filename.replaceAll(/\p{Cc}/gu, '').replaceAll(/["\\]/g, String.raw`\$&`);
  return `${others}; filename="${Buffer.from(safe).toString('latin1')}"`;
}
