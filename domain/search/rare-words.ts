/** A word of a query as a dictionary reads it, and in how many texts of that dictionary it is. */
export interface CountedWord {
  dictionary: string;
  /** Of the word in the query: the same for all dictionaries. */
  place: number;
  lexeme: string;
  found: number;
}

/** A word of a query with how much finding it says, over all dictionaries. */
export interface WeighedWord extends CountedWord {
  weight: number;
  /** Whether texts are looked for that have it; the others only add to the score of texts that were found. */
  sought: boolean;
}

/**
 * Weighs the words that are in any text, rare ones more, and says by which to look for texts: the rarest first, until they
 * are in `enough` texts. How rare a word is, is counted over all dictionaries: few texts of one would make all its words
 * look rare.
 *
 * @param texts how many there are
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
