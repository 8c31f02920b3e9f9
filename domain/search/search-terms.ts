/** Quotation marks of many languages; words between them form a phrase. */
export const QUOTES = '"“”„‟«»';
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
