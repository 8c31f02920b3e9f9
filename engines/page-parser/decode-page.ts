/** Number of leading bytes in which the page must declare its encoding; the same as in browsers. */
const DECLARED_WITHIN = 1024;
const META = /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,100}encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;

/**
 * Decodes a page by its byte order mark, else the `Content-Type` header, else its own declaration, else as
 * UTF-8, or windows-1252 if it is not valid UTF-8. Invalid bytes become U+FFFD.
 *
 * @param contentType value of the header
 */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): string {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const label =
    markOf(bytes) ?? charsetOf(contentType) ?? declared(META.exec(head)) ?? declared(XML.exec(head));
  if (label !== undefined) return new TextDecoder(label).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(contentType = ''): string | undefined {
  return known(/;\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1]);
}

/**
 * The encoding that a page names in its markup. UTF-16 is taken as UTF-8: markup that was readable up to here
 * cannot be UTF-16.
 */
function declared(found: RegExpExecArray | null): string | undefined {
  const encoding = known(found?.[1]);
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** The encoding of a label; undefined if unknown. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
