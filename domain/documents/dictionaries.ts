/**
 * Postgres text search configurations by ISO 639-1 language. Their stemmers find other forms of a word; `simple`, for
 * every other language, finds only exact words.
 */
const DICTIONARIES: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/** The text search configurations of all languages. */
export const LANGUAGE_DICTIONARIES: readonly string[] = Object.values(DICTIONARIES);

/** The text search configuration for a language; `simple` for an unknown one. */
export function dictionaryOf(language: string | null | undefined): string {
  return (language && DICTIONARIES[language]) || 'simple';
}

/** Characters of words, including soft hyphens, other invisible ones and Arabic tatweel, which the database removes. */
const WORD = /[\p{L}\p{M}\p{N}\u00AD\u0640\u200B-\u200D\u2060]+/gu;
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
