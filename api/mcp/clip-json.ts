/**
 * JSON whose strings have at most `longest` characters each, while it is read: the end of a longer one says how many are
 * left out. So that an answer of any length can be held in memory and parsed.
 */
export async function* clipJson(parts: AsyncIterable<string>, longest: number): AsyncGenerator<string> {
  let inString = false;
  let length = 0;
  /** A character of a string, which is several while it is escaped. */
  let character = '';
  for await (const part of parts) {
    let kept = '';
    for (const next of part) {
      if (!inString) {
        kept += next;
        inString = next === '"';
        length = 0;
      } else if (next === '"' && character === '') {
        kept += length > longest ? `… [${length - longest} more characters]"` : '"';
        inString = false;
      } else {
        character += next;
        if (!isWhole(character)) continue;
        length += 1;
        if (length <= longest) kept += character;
        character = '';
      }
    }
    yield kept;
  }
}

/** Whether an escape sequence is complete; other characters are. */
function isWhole(character: string): boolean {
  if (!character.startsWith('\\')) return true;
  return character[1] === 'u' ? character.length === 6 : character.length === 2;
}
