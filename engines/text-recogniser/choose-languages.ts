import { detectLanguage } from 'darkroom-reader/language';
import type { RecognisedWord } from './text-regions.ts';

/** Codes of the recogniser's data by ISO 639-1, where one is the usual one of a language. */
const CODES: Readonly<Record<string, string>> = {
  ar: 'ara',
  bg: 'bul',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nl: 'nld',
  no: 'nor',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sr: 'srp',
  sv: 'swe',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'chi_sim',
};

/** Minimum mean confidence of letters in a language of the right script; in another it is below 50. */
const LEGIBLE = 65;
/** Letters that are too few to trust their confidence. */
const FEWEST_LETTERS = 12;
/** Letters of a few lines, whose language is usually recognised. */
const ENOUGH_LETTERS = 100;
/** Less confident words are specks. The wrong language is unsure of the very words that tell the right one. */
const CREDIBLE = 20;
/** A language alone is faster than several at once, and may be less confident by this. */
const MORE_BY_SEVERAL = 5;

/** A text read in the languages that suit it. */
export interface ReadText {
  languages: readonly string[];
  lines: RecognisedWord[][];
  /** Whether its script is one of theirs. */
  legible: boolean;
}

interface Reading extends ReadText {
  letters: number;
  confidence: number;
}

/**
 * Reads a text in the first of some languages, and in others only if its words, or their confidence, say so: at most
 * three times.
 *
 * @param available codes such as `eng`
 * @param read the lines of the text in some of them
 * @param given the languages of the text, if they are known: it is read in them all, once
 */
export async function readInItsLanguage(
  available: readonly string[],
  read: (languages: readonly string[]) => Promise<RecognisedWord[][]>,
  given: readonly string[] = [],
): Promise<ReadText> {
  const [usual = 'eng', ...others] = available;
  const readIn = async (languages: readonly string[]): Promise<Reading> => {
    const lines = await read(languages);
    const { letters, confidence } = confidenceOf(lines.flat());
    return { languages, lines, letters, confidence, legible: isLegible({ letters, confidence }) };
  };
  if (given.length > 0) return readIn(given);
  const first = await readIn([usual]);
  if (others.length === 0) return first;
  let best = first;
  let own = languageOf(first.lines.flat(), available);
  // Without its marks, the language of a text may not be recognised.
  if (!first.legible || (first.letters >= ENOUGH_LETTERS && own === undefined)) {
    const other = await readIn(others);
    if (other.confidence > first.confidence) best = other;
    own = languageOf(best.lines.flat(), available);
  }
  if (own === undefined || best.languages.join('+') === own) return best;
  const alone = await readIn([own]);
  const handicap = best.languages.length > 1 ? MORE_BY_SEVERAL : 0;
  return alone.confidence + handicap > best.confidence ? alone : best;
}

/** The one of the available languages that the words of a text are of. */
export function languageOf(
  words: readonly RecognisedWord[],
  available: readonly string[],
): string | undefined {
  const credible = words.filter(({ confidence }) => confidence >= CREDIBLE).map(({ text }) => text);
  const possible = Object.keys(CODES).filter((code) => available.includes(CODES[code] ?? ''));
  return CODES[detectLanguage(credible.join(' '), undefined, possible) ?? ''];
}

/** Whether a text can be read in the languages in which it was. */
export const isLegible = ({ letters, confidence }: TextConfidence): boolean =>
  letters >= FEWEST_LETTERS && confidence >= LEGIBLE;

/** Letters and digits, and their mean confidence from 0 to 100. */
interface TextConfidence {
  letters: number;
  confidence: number;
}

export function confidenceOf(words: readonly RecognisedWord[]): TextConfidence {
  let letters = 0;
  let sum = 0;
  for (const { text, confidence } of words) {
    const count = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    letters += count;
    sum += count * confidence;
  }
  return { letters, confidence: letters === 0 ? 0 : sum / letters };
}
