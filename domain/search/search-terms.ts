/** More words than that make a search slower, and its answer no better. */
const MAX_TERMS = 16;

/**
 * What a search asks for: its words, and whole phrases where it has quotes. Each must be met; how words are compared
 * (case, accents, endings) is the database's matter. What has neither letter nor digit asks for nothing.
 */
export function searchTerms(search: string): string[] {
  const terms = [...search.matchAll(/["“”]([^"“”]*)["“”]?|[^\s"“”]+/g)]
    .map(([whole, quoted]) => (quoted ?? whole).trim())
    .filter((term) => /[\p{L}\p{N}]/u.test(term));
  return [...new Set(terms)].slice(0, MAX_TERMS);
}
