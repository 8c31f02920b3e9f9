/** Dampens the advantage of the first ranks, as in the paper on reciprocal rank fusion. */
const RANK_OFFSET = 60;

export interface RankedIds {
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
