/** In a string: plain characters, an escape sequence, or the end. The beginning of an escape sequence is none of them. */
const TOKEN = /[^"\\]+|\\(?:u[^]{4}|[^u])|"/y;

/**
 * JSON whose strings have at most `longest` characters each, while it is read: the end of a longer one says how many are
 * left out. So that an answer of any length can be held in memory and parsed.
 */
export async function* clipJson(parts: AsyncIterable<string>, longest: number): AsyncGenerator<string> {
  let inString = false;
  /** Characters of the string so far, of which an escape sequence is one. */
  let length = 0;
  /** The beginning of an escape sequence, whose rest is in the next part. */
  let begun = '';
  for await (const part of parts) {
    const text = begun + part;
    begun = '';
    // Not one string that grows: it would take several times the memory of its characters.
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

/** The beginning of plain characters, without half of one that takes two; nothing of an escape sequence. */
function cut(token: string, room: number): string {
  return token.slice(0, room).replace(/[\ud800-\udbff]$/, '');
}
