import { QUOTES } from './search-terms.ts';

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
