/** Characters of words, including soft hyphens and Arabic tatweel, which the database removes. */
const WORD = /[\p{L}\p{M}\p{N}\u00AD\u0640]+/gu;
/** Longer words are not searched for. */
const OVERLAP = 100;

/**
 * The words of a text that do not occur in its beginning, each once, in order.
 *
 * @param beginning its length, in characters
 * @param limit of the result, in characters
 */
export function furtherWords(text: string, beginning: number, limit: number): string {
  if (text.length <= beginning) return '';
  const known = new Set(wordsOf(text.slice(0, beginning)));
  let further = '';
  for (const word of wordsOf(text.slice(Math.max(0, beginning - OVERLAP)))) {
    if (known.has(word)) continue;
    known.add(word);
    if (further.length + word.length + 1 > limit) break;
    further += `${word} `;
  }
  return further.trimEnd();
}

function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word.toLowerCase();
}
