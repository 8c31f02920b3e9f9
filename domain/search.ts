/** The vector collection of image embeddings; its name contains model and dimension. */
export const IMAGE_COLLECTION = {
  collection: 'image-local-v1-414',
  model: 'local-v1',
  dimension: 414,
} as const;

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
}

/** A query word with its weight across all dictionaries. */
export interface WeighedWord extends CountedWord {
  weight: number;
  /** Whether the word selects texts; other words only add to the score of texts already found. */
  sought: boolean;
}

/**
 * Weighs the words that occur in any text, rare ones more, and selects search words: the rarest first, until they match
 * `enough` texts. Rarity is counted over all dictionaries: a dictionary with few texts would make all its words look
 * rare.
 *
 * @param texts total number of texts
 */
export function weighWords(words: readonly CountedWord[], texts: number, enough: number): WeighedWord[] {
  const foundAt = new Map<number, number>();
  for (const { place, found } of words) foundAt.set(place, (foundAt.get(place) ?? 0) + found);
  const rarest = [...foundAt].filter(([, found]) => found > 0).toSorted(([, a], [, b]) => a - b);
  const sought = new Set<number>();
  let reached = 0;
  for (const [place, found] of rarest) {
    if (reached >= enough) break;
    sought.add(place);
    reached += found;
  }
  return words.flatMap((word) => {
    const found = foundAt.get(word.place) ?? 0;
    if (word.found === 0) return [];
    const weight = Math.log(1 + (texts + 1) / (found + 0.5));
    return [{ ...word, weight, sought: sought.has(word.place) }];
  });
}

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

/** Dampens the advantage of the first ranks, as in the paper on reciprocal rank fusion. */
const RANK_OFFSET = 60;

interface RankedIds {
  /** Ids, best first. */
  ids: readonly string[];
  /** Weight of this list in the result. */
  weight: number;
}

/** Reciprocal rank fusion: the ids of all lists, best first. Equal scores keep the order of the lists. */
export function fuseRanks(lists: readonly RankedIds[]): string[] {
  const scores = new Map<string, number>();
  for (const { ids, weight } of lists) {
    ids.forEach((id, rank) => scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_OFFSET + rank + 1)));
  }
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}
