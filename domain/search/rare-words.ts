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
