/** Quotation marks of many languages; words between them form a phrase. */
const QUOTES = '"“”„‟«»';
const TERM = new RegExp(`[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]?|[^\\s${QUOTES}]+`, 'g');

/** More terms make a search slower, not better. */
const MAX_TERMS = 16;

/**
 * The terms of a search: words and quoted phrases. All must match; the database decides how words are compared (case,
 * accents, endings). Terms without a letter or digit are dropped.
 */
export function searchTerms(search: string): string[] {
  const terms = [...search.matchAll(TERM)]
    .map(([whole, quoted]) => (quoted ?? whole).trim())
    .filter((term) => /[\p{L}\p{N}]/u.test(term));
  return [...new Set(terms)].slice(0, MAX_TERMS);
}

/** A word of a query as normalised by one dictionary, and the number of texts in that dictionary that contain it. */
export interface CountedWord {
  dictionary: string;
  /** Position of the word in the query: the same for all dictionaries. */
  place: number;
  lexeme: string;
  found: number;
  /** Similarity to the word of the query, 0–1: below 1 for another spelling. */
  likeness: number;
}

/** A query word with its weight across all dictionaries. */
export interface WeighedWord extends CountedWord {
  weight: number;
  /**
   * The texts that are ranked for it: all that have it, those that repeat it, or none, so that it only adds to the score
   * of texts found otherwise.
   */
  selects: 'all' | 'repeated' | 'none';
}

/** Common words that select the texts that repeat them; further ones hardly tell texts apart. */
const MOST_REPEATED = 3;
/** The rarest words, of which the score consists: each costs a look at every text that is ranked. */
const MOST_SCORED = 16;

/**
 * Weighs the words that occur in any text by their inverse document frequency, and chooses the texts to rank: all with
 * the rarest words, until these are `enough`. Rarity is counted over all dictionaries: a dictionary with few texts would
 * make all its words look rare.
 *
 * @param texts total number of texts
 */
export function weighWords(words: readonly CountedWord[], texts: number, enough: number): WeighedWord[] {
  const foundAt = countPlaces(words);
  const rarest = [...foundAt]
    .filter(([, found]) => found > 0)
    .toSorted(([, a], [, b]) => a - b)
    .slice(0, MOST_SCORED);
  const scored = new Set(rarest.map(([place]) => place));
  const selects = new Map<number, WeighedWord['selects']>();
  let reached = 0;
  let repeated = 0;
  for (const [place, found] of rarest) {
    if (reached + found <= enough) {
      selects.set(place, 'all');
      reached += found;
    } else if (repeated < MOST_REPEATED) {
      selects.set(place, 'repeated');
      repeated += 1;
    }
  }
  return words.flatMap((word) => {
    if (word.found === 0 || !scored.has(word.place)) return [];
    const weight = word.likeness * rarity(foundAt.get(word.place) ?? 0, texts);
    return [{ ...word, weight, selects: selects.get(word.place) ?? 'none' }];
  });
}

/**
 * The score of an average text that has once all words of a query that are scored; a word that no text has is the rarest of
 * all.
 */
export function idealScore(
  asked: readonly CountedWord[],
  weighed: readonly WeighedWord[],
  texts: number,
): number {
  const weights = [...countPlaces(asked)].map(([at, found]) => {
    const forms = weighed.filter(({ place }) => place === at);
    if (forms.length > 0) return Math.max(...forms.map(({ weight, likeness }) => weight / likeness));
    return found > 0 ? 0 : rarity(0, texts);
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** The number of texts by place; an estimate may exceed their total. */
function countPlaces(words: readonly CountedWord[]): Map<number, number> {
  const foundAt = new Map<number, number>();
  for (const { place, found } of words) foundAt.set(place, (foundAt.get(place) ?? 0) + found);
  return foundAt;
}

const rarity = (found: number, texts: number): number =>
  Math.log(1 + (Math.max(0, texts - found) + 0.5) / (found + 0.5));

/** Shorter words are too similar to each other. */
const MIN_LENGTH = 4;
/** A fuzzy match costs the trigrams of the search times the names of the tenant, regardless of its results. */
const MAX_LENGTH = 64;
const MAX_WORDS = 8;
/** Words in quotes are matched exactly. */
const QUOTED = new RegExp(`[${QUOTES}]`);

/**
 * Whether a search without results is repeated as a fuzzy match. Length is measured in the form that the database
 * compares, in which one character may become eighteen.
 */
export function toleratesTypos(search: string): boolean {
  const compared = search.normalize('NFKC');
  const words = compared.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const fits = compared.length >= MIN_LENGTH && compared.length <= MAX_LENGTH && words <= MAX_WORDS;
  return fits && !QUOTED.test(search);
}

export interface ScoredId {
  id: string;
  score: number;
}

/**
 * The ids of both lists, best first, by the mean of their scores. Scores keep their distances, unlike ranks, so that a
 * list without any good match cannot outvote a perfect one.
 *
 * @param byWords scores of which 1 is that of an average text with all words
 * @param meaning similarities by id, 0–1, null without a vector; that of unrelated texts; and their weight, where that of the words is 1
 */
export function fuseScores(
  byWords: readonly ScoredId[],
  meaning: {
    similarities: ReadonlyMap<string, number | null>;
    unrelated: number;
    weight: number;
  } = NO_MEANING,
): ScoredId[] {
  const { similarities, unrelated, weight } = meaning;
  const words = new Map(byWords.map(({ id, score }) => [id, Math.min(score, MOST_OF_WORDS)]));
  const ids = new Set([...words.keys(), ...similarities.keys()]);
  return [...ids]
    .map((id) => {
      const similarity = similarities.get(id);
      // Not indexed yet: it has only its words.
      if (similarity === null) return { id, score: words.get(id) ?? 0 };
      const related = Math.max(0, (similarity ?? 0) - unrelated) / (1 - unrelated);
      return { id, score: ((words.get(id) ?? 0) + weight * related) / (1 + weight) };
    })
    .toSorted((a, b) => b.score - a.score);
}

const NO_MEANING = { similarities: new Map<string, null>(), unrelated: 0, weight: 0 };
/** Further repetitions of words say nothing more. */
const MOST_OF_WORDS = 1.5;
