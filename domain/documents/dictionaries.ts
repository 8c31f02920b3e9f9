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

/** The text search configuration for a language; `simple` for an unknown one. */
export function dictionaryOf(language: string | null | undefined): string {
  return (language && DICTIONARIES[language]) || 'simple';
}
