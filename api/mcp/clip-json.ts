/**
 * Token in a string: plain characters, an escape sequence, or the closing quote. An incomplete escape
 * sequence does not match.
 */
const TOKEN = /[^"\\]+|\\(?:u[^]{4}|[^u])|"/y;

/**
 * Cuts the strings of streamed JSON to `longest` characters each; a cut string ends with the number of
 * omitted characters. Lets an answer of any length be held in memory and parsed.
 */
export async function* clipJson(parts: AsyncIterable<string>, longest: number): AsyncGenerator<string> {
  let inString = false;
  /** Characters of the string so far; an escape sequence counts as one. */
  let length = 0;
  /** An incomplete escape sequence, whose rest is in the next part. */
  let begun = '';
  for await (const part of parts) {
    const text = begun + part;
    begun = '';
    // A list, since a growing string would take several times the memory of its characters.
    const kept: string[] = [];
    for (let at = 0; at < text.length;) {
      if (!inString) {
        const quote = text.indexOf('"', at);
        const end = quote === -1 ? text.length : quote + 1;
        kept.push(text.slice(at, end));
        at = end;
        inString = quote !== -1;
        length = 0;
        continue;
      }
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text)?.[0];
      if (token === undefined) {
        begun = text.slice(at);
        break;
      }
      at += token.length;
      if (token === '"') {
        kept.push(length > longest ? `… [${length - longest} more characters]"` : '"');
        inString = false;
      } else {
        const size = token.startsWith('\\') ? 1 : token.length;
        const room = Math.max(0, longest - length);
        kept.push(size <= room ? token : cut(token, room));
        length += size;
      }
    }
    yield kept.join('');
  }
}

/**
 * The first characters of a plain token, without splitting a surrogate pair; an escape sequence is dropped
 * whole.
 */
function cut(token: string, room: number): string {
  return token.slice(0, room).replace(/[\ud800-\udbff]$/, '');
}
